package io.numaledger.kubelet.config;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Values read and written as Go's standard library and Kubernetes' quantities do. */
final class GoText {

    private static final List<String> TRUE = List.of("1", "t", "T", "TRUE", "true", "True");
    private static final List<String> FALSE = List.of("0", "f", "F", "FALSE", "false", "False");
    private static final String BINARY_PREFIXES = "KMGTPE";

    private GoText() {}

    /** @param refusal the error around the sentence, as the caller words it */
    static boolean parseBool(String option, String value, Function<String, StartupRefusedException> refusal) {
        if (TRUE.contains(value)) {
            return true;
        }
        if (FALSE.contains(value)) {
            return false;
        }
        throw refusal.apply("bad value for option \"%s\": strconv.ParseBool: parsing \"%s\": invalid syntax"
                .formatted(option, value));
    }

    /** A map as Go prints it, such as {@code map[a:1 b:2]}. */
    static String map(SortedMap<String, String> map) {
        return map.entrySet().stream()
                .map(entry -> entry.getKey() + ":" + entry.getValue())
                .collect(Collectors.joining(" ", "map[", "]"));
    }

    /** Bytes with the largest binary suffix that leaves a whole number, such as {@code 1536Mi}. */
    static String bytes(long value) {
        BigInteger rest = new BigInteger(Long.toUnsignedString(value));
        int steps = 0;
        while (rest.signum() != 0 && steps < BINARY_PREFIXES.length() && rest.getLowestSetBit() >= 10) {
            rest = rest.shiftRight(10);
            steps++;
        }
        return steps == 0
                ? new BigDecimal(rest).toPlainString()
                : rest + BINARY_PREFIXES.substring(steps - 1, steps) + "i";
    }
}
