package io.numaledger.resource;

/**
 * Sums of amounts that other programs report. Beyond the range of a {@code long}, the result is its nearest end, so that an
 * absurd amount in one pod does not prevent the evaluation of the others.
 */
public final class Saturating {

    private Saturating() {}

    public static long add(long a, long b) {
        long sum = a + b;
        boolean overflow = ((a ^ sum) & (b ^ sum)) < 0;
        return overflow ? end(a) : sum;
    }

    public static long subtract(long a, long b) {
        long difference = a - b;
        boolean overflow = ((a ^ b) & (a ^ difference)) < 0;
        return overflow ? end(a) : difference;
    }

    /** The product of two amounts of 0 or more. */
    public static long multiply(long a, long b) {
        return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE;
    }

    private static long end(long sign) {
        return sign < 0 ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
}
