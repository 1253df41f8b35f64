package io.numaledger.benchmarks.figures;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** The percentiles of measured values. Exact: there are some thousand values at most. */
public final class Percentiles {

    private final long[] sorted;

    private Percentiles(long[] sorted) {
        this.sorted = sorted;
    }

    public static Percentiles of(LongStream values) {
        return new Percentiles(values.sorted().toArray());
    }

    public int count() {
        return sorted.length;
    }

    /** The value below which this percentage of the values are; 0 if there are no values. */
    public long at(double percent) {
        return sorted.length == 0 ? 0 : sorted[Math.min(sorted.length - 1, (int) (sorted.length * percent / 100))];
    }

    public double mean() {
        return Arrays.stream(sorted).average().orElse(0);
    }

    /** Some percentiles, such as {@code 12/80}. */
    public String text(int... percents) {
        return Arrays.stream(percents)
                .mapToObj(percent -> Long.toString(at(percent)))
                .collect(Collectors.joining("/"));
    }
}
