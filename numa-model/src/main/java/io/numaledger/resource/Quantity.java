package io.numaledger.resource;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Kubernetes quantities (apimachinery, api/resource/quantity.go): read from any spelling, written in the canonical
 * DecimalSI one, such as {@code 8}, {@code 1500m}, {@code 1k}, {@code 2097152k}.
 */
public final class Quantity {

    private static final Pattern FORM =
            Pattern.compile("([+-]?(?:\\d+\\.?\\d*|\\.\\d+))(?:([KMGTPE]i)|([numkMGTPE])|[eE]([+-]?\\d{1,3}))?");
    private static final String DECIMAL_SUFFIXES = "numkMGTPE";
    private static final String POWERS_OF_THOUSAND = "kMGTPE";
    private static final String POWERS_OF_1024 = "KMGTPE";

    /** Many more characters than the API server writes. Longer numbers take long to read, and anybody may have written them. */
    private static final int MAX_LENGTH = 64;

    private static final int MAX_DIGITS = 15;

    private static final int SHOWN = 40;

    private Quantity() {}

    /**
     * The exact value.
     *
     * @throws IllegalArgumentException if the text is no quantity
     */
    public static BigDecimal parse(String text) {
        Matcher parts = FORM.matcher(text);
        if (text.length() > MAX_LENGTH || !parts.matches()) {
            throw new IllegalArgumentException(
                    "not a quantity: text='%s'; expected a number with an optional suffix, such as 500m, 8 or 16Gi"
                            .formatted(text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text));
        }
        BigDecimal number = new BigDecimal(parts.group(1));
        if (parts.group(2) != null) {
            int power = POWERS_OF_1024.indexOf(parts.group(2).charAt(0)) + 1;
            return number.multiply(BigDecimal.valueOf(1L << (10 * power)));
        }
        if (parts.group(3) != null) {
            return number.scaleByPowerOfTen(decimalExponent(parts.group(3).charAt(0)));
        }
        return parts.group(4) == null ? number : number.scaleByPowerOfTen(Integer.parseInt(parts.group(4)));
    }

    private static int decimalExponent(char suffix) {
        int index = DECIMAL_SUFFIXES.indexOf(suffix);
        return index < 3 ? 3 * (index - 3) : 3 * (index - 2);
    }

    /** In whole units, rounded up as {@code Value()} does; beyond a long the largest long. */
    public static long whole(String text) {
        long value = digits(text, text.length());
        return value >= 0 ? value : roundedUp(parse(text));
    }

    /** In thousandths, rounded up as {@code MilliValue()} does; beyond a long the largest long. */
    public static long milli(String text) {
        boolean milli = text.endsWith("m");
        long value = digits(text, text.length() - (milli ? 1 : 0));
        return value >= 0 ? value * (milli ? 1 : 1000) : roundedUp(parse(text).scaleByPowerOfTen(3));
    }

    /** The number that the first characters are, of the usual spelling: up to 15 digits. Any other: -1. */
    private static long digits(String text, int length) {
        if (length < 1 || length > MAX_DIGITS) {
            return -1;
        }
        long value = 0;
        for (int i = 0; i < length; i++) {
            char digit = text.charAt(i);
            if (digit < '0' || digit > '9') {
                return -1;
            }
            value = 10 * value + digit - '0';
        }
        return value;
    }

    private static long roundedUp(BigDecimal value) {
        BigDecimal whole = value.setScale(0, value.signum() < 0 ? RoundingMode.DOWN : RoundingMode.CEILING);
        if (whole.compareTo(BigDecimal.valueOf(Long.MAX_VALUE)) > 0) {
            return Long.MAX_VALUE;
        }
        return whole.compareTo(BigDecimal.valueOf(Long.MIN_VALUE)) < 0 ? Long.MIN_VALUE : whole.longValueExact();
    }

    /** Canonical DecimalSI text of a number of whole units. */
    public static String ofWhole(long value) {
        int power = 0;
        long rest = value;
        while (rest != 0 && rest % 1000 == 0 && power < POWERS_OF_THOUSAND.length()) {
            rest /= 1000;
            power++;
        }
        return power == 0 ? Long.toString(value) : rest + POWERS_OF_THOUSAND.substring(power - 1, power);
    }

    /** Canonical DecimalSI text of a number of thousandths, as CPU amounts are kept. */
    public static String ofMilli(long milli) {
        return milli % 1000 == 0 ? ofWhole(milli / 1000) : milli + "m";
    }

    /** The quantity as people write it: bytes such as {@code 5Gi} for memory and storage, any other text unchanged. */
    public static String readable(String resource, String text) {
        if (text.isEmpty()) {
            return text;
        }
        return switch (ResourceKind.of(resource)) {
            case MEMORY, STORAGE -> ofBytes(whole(text));
            case CPU, DEVICE -> text;
        };
    }

    /** Canonical BinarySI text of a number of bytes. */
    private static String ofBytes(long value) {
        int power = 0;
        long rest = value;
        while (rest != 0 && rest % 1024 == 0 && power < POWERS_OF_1024.length()) {
            rest /= 1024;
            power++;
        }
        return power == 0 ? Long.toString(value) : rest + POWERS_OF_1024.substring(power - 1, power) + "i";
    }
}
