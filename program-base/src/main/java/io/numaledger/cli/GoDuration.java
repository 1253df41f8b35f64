package io.numaledger.cli;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Durations in Go's syntax, as Kubernetes components take them: {@code 1s}, {@code 500ms}, {@code 1m0s}, {@code 0}. */
public final class GoDuration implements ITypeConverter<Duration> {

    private static final Pattern PART = Pattern.compile("(\\d+(?:\\.\\d*)?|\\.\\d+)(ns|us|µs|μs|ms|s|m|h)");

    @Override
    public Duration convert(String text) {
        boolean negative = text.startsWith("-");
        String rest = negative || text.startsWith("+") ? text.substring(1) : text;
        if (rest.equals("0")) {
            return Duration.ZERO;
        }
        BigDecimal nanos = BigDecimal.ZERO;
        Matcher part = PART.matcher(rest);
        int end = 0;
        while (part.find() && part.start() == end) {
            nanos = nanos.add(new BigDecimal(part.group(1)).multiply(BigDecimal.valueOf(nanos(part.group(2)))));
            end = part.end();
        }
        if (end == 0 || end != rest.length() || nanos.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            throw new TypeConversionException(
                    "'%s' is not a duration; use a number with a unit, such as 500ms, 30s or 1m0s".formatted(text));
        }
        return Duration.ofNanos(negative ? -nanos.longValue() : nanos.longValue());
    }

    private static long nanos(String unit) {
        return switch (unit) {
            case "ns" -> 1L;
            case "us", "µs", "μs" -> 1_000L;
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> throw new IllegalArgumentException("not a unit of time: unit=" + unit);
        };
    }
}
