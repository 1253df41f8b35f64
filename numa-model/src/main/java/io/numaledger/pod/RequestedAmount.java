package io.numaledger.pod;

import io.numaledger.resource.Quantity;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A request or limit as its pod writes it: its value, and whether the kubelet can read it as a whole number, which hangs
 * on the spelling (apimachinery, pkg/api/resource/quantity.go): {@code 1.5Gi} cannot be read, {@code 1536Mi} can.
 */
public final class RequestedAmount implements Comparable<RequestedAmount> {

    private static final Pattern SPELLING =
            Pattern.compile("[+-]?0*(\\d*)(?:(\\.)(\\d*))?(?:([KMGTPE])i|([numkMGTPE])|[eE]([+-]?\\d{1,3}))?");
    private static final String POWERS_OF_1024 = "KMGTPE";
    private static final String DECIMAL_SUFFIXES = "num kMGTPE";
    private static final BigDecimal LONG_MAX = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final int NANO_SCALE = 9;
    private static final int DECIMAL_DIGITS = 18;
    private static final int BINARY_DIGITS = 15;
    private static final int UNREADABLE = Integer.MAX_VALUE;

    public static final RequestedAmount ZERO = of(0);

    private final String text;
    private final BigDecimal value;
    private final int digits;

    /** @param digits how many digits Go must be able to keep as int64 to read it; {@link #UNREADABLE}: it never can */
    private RequestedAmount(String text, BigDecimal exact, int digits) {
        this.text = text;
        this.value = exact.setScale(NANO_SCALE, RoundingMode.UP).min(LONG_MAX).max(LONG_MAX.negate());
        this.digits = digits;
    }

    /** A whole number: bytes, devices or CPUs. */
    public static RequestedAmount of(long whole) {
        return new RequestedAmount(Long.toString(whole), BigDecimal.valueOf(whole), 0);
    }

    /** Thousandths, such as milli-CPU. */
    public static RequestedAmount ofMillis(long millis) {
        return millis % 1000 == 0 ? of(millis / 1000) : parse(millis + "m");
    }

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException naming the text, when it is no quantity
     */
    public static RequestedAmount parse(String text) {
        BigDecimal exact = Quantity.parse(text);
        return new RequestedAmount(text, exact, exact.abs().compareTo(LONG_MAX) <= 0 ? digits(text) : UNREADABLE);
    }

    /** Go keeps a number as int64 only while its digits surely fit and nothing is left behind the point. */
    private static int digits(String text) {
        Matcher parts = SPELLING.matcher(text);
        if (!parts.matches()) {
            return UNREADABLE;
        }
        int digits = Math.max(1, parts.group(1).length());
        if (parts.group(4) != null) {
            int exponent = 10 * (POWERS_OF_1024.indexOf(parts.group(4)) + 1);
            boolean fraction = parts.group(3) != null && !parts.group(3).isEmpty();
            return !fraction && BINARY_DIGITS - digits - exponent * 3 / 10 - 1 >= 0 ? 0 : UNREADABLE;
        }
        int fraction = parts.group(3) == null ? 0 : parts.group(3).length();
        return decimalExponent(parts) >= fraction ? digits + fraction : UNREADABLE;
    }

    private static int decimalExponent(Matcher parts) {
        if (parts.group(6) != null) {
            return Integer.parseInt(parts.group(6));
        }
        return parts.group(5) == null ? 0 : 3 * (DECIMAL_SUFFIXES.indexOf(parts.group(5)) - 3);
    }

    /** In whole units, rounded up, as the kubelet's {@code Value()}. */
    public long whole() {
        return value.setScale(0, RoundingMode.UP).longValueExact();
    }

    /** In thousandths, rounded up; cut at 2^63-1. */
    public long millis() {
        BigDecimal millis = value.movePointRight(3).setScale(0, RoundingMode.UP);
        return millis.min(LONG_MAX).max(LONG_MAX.negate()).longValueExact();
    }

    /** In thousandths, rounded to the nearest, halves up; cut at 2^63-1. */
    public long nearestMillis() {
        BigDecimal millis = value.movePointRight(3).setScale(0, RoundingMode.HALF_UP);
        return millis.min(LONG_MAX).max(LONG_MAX.negate()).longValueExact();
    }

    /** What {@code AsInt64} gives in every kubelet; empty for spellings such as {@code 1.5Gi} or {@code 100m}. */
    public OptionalLong readAsInt64() {
        return readAsInt64(DECIMAL_DIGITS);
    }

    /**
     * What the kubelet's {@code AsInt64} gives.
     *
     * @param mostDigits how many digits of a number that is no multiple of 1024 it keeps
     */
    public OptionalLong readAsInt64(int mostDigits) {
        return digits <= mostDigits ? OptionalLong.of(value.longValueExact()) : OptionalLong.empty();
    }

    public boolean isZero() {
        return value.signum() == 0;
    }

    RequestedAmount plus(RequestedAmount other) {
        BigDecimal sum = value.add(other.value);
        return new RequestedAmount(sum.stripTrailingZeros().toPlainString(), sum, Math.max(digits, other.digits));
    }

    /** Compares by value only: {@code 1} and {@code 1000m} compare as equal, though they are not {@link #equals}. */
    @Override
    public int compareTo(RequestedAmount other) {
        return value.compareTo(other.value);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RequestedAmount that && text.equals(that.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** The amount as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
