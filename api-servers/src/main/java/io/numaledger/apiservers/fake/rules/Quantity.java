package io.numaledger.apiservers.fake.rules;

import io.numaledger.apiservers.fake.status.ApiError;

import java.math.BigDecimal;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads resource quantities such as {@code 500m}, {@code 2}, {@code 1e3} and {@code 1.5Gi} by value. */
final class Quantity {

    private static final Pattern SYNTAX =
            Pattern.compile("([+-]?(?:\\d+\\.?\\d*|\\.\\d+))([eE][+-]?\\d{1,3}|[KMGTPE]i|[numkMGTPE])?");

    private static final Map<String, Integer> DECIMAL_EXPONENTS =
            Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E", 18);

    private static final String BINARY_PREFIXES = "KMGTPE";

    private Quantity() {}

    /** @throws ApiError with status 400 if the text is not a quantity */
    static BigDecimal parse(String text) {
        Matcher matcher = SYNTAX.matcher(text);
        if (!matcher.matches()) {
            throw ApiError.badRequest(
                    "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression"
                            + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
        }
        BigDecimal number = new BigDecimal(matcher.group(1));
        String suffix = matcher.group(2) == null ? "" : matcher.group(2);
        return number.multiply(multiplier(suffix)).stripTrailingZeros();
    }

    private static BigDecimal multiplier(String suffix) {
        if (suffix.endsWith("i")) {
            return BigDecimal.valueOf(1024).pow(BINARY_PREFIXES.indexOf(suffix.charAt(0)) + 1);
        }
        if (suffix.length() > 1) {
            return BigDecimal.ONE.scaleByPowerOfTen(Integer.parseInt(suffix.substring(1)));
        }
        return BigDecimal.ONE.scaleByPowerOfTen(suffix.isEmpty() ? 0 : DECIMAL_EXPONENTS.get(suffix));
    }
}
