package io.numaledger.gpu;

import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * A set of GPUs of one machine by their place in {@link GpuTopology#gpus()}: 0–127. Sets are ordered as the numbers
 * that their bits make, GPU 0 being the lowest bit.
 *
 * @param low bits of GPUs 0–63
 * @param high bits of GPUs 64–127
 */
public record GpuSet(long low, long high) implements Comparable<GpuSet> {

    /** The highest index that a set can hold; the largest machine in sight has 72 GPUs. */
    public static final int MAX_INDEX = 127;

    public static final GpuSet NONE = new GpuSet(0, 0);

    public static GpuSet of(int... indexes) {
        GpuSet set = NONE;
        for (int index : indexes) {
            set = set.with(index);
        }
        return set;
    }

    public static GpuSet of(Collection<Integer> indexes) {
        return of(indexes.stream().mapToInt(Integer::intValue).toArray());
    }

    /** GPUs 0 to {@code count - 1}. */
    public static GpuSet first(int count) {
        return of(IntStream.range(0, count).toArray());
    }

    public GpuSet with(int index) {
        if (index < 0 || index > MAX_INDEX) {
            throw new IllegalArgumentException(
                    "a set of GPUs holds indexes 0-127: index=%d; name a GPU of this machine".formatted(index));
        }
        return index < Long.SIZE
                ? new GpuSet(low | 1L << index, high)
                : new GpuSet(low, high | 1L << (index - Long.SIZE));
    }

    public boolean contains(int index) {
        return index >= 0 && index <= MAX_INDEX && ((index < Long.SIZE ? low : high) & 1L << index) != 0;
    }

    public boolean containsAll(GpuSet other) {
        return (other.low & ~low) == 0 && (other.high & ~high) == 0;
    }

    public int size() {
        return Long.bitCount(low) + Long.bitCount(high);
    }

    public boolean isEmpty() {
        return (low | high) == 0;
    }

    public GpuSet and(GpuSet other) {
        return new GpuSet(low & other.low, high & other.high);
    }

    public GpuSet or(GpuSet other) {
        return new GpuSet(low | other.low, high | other.high);
    }

    public GpuSet minus(GpuSet other) {
        return new GpuSet(low & ~other.low, high & ~other.high);
    }

    /** The lowest index of the set that is {@code from} or more; -1 when there is none. For loops that must be fast. */
    public int next(int from) {
        if (from < Long.SIZE) {
            long rest = from < 0 ? low : low & -1L << from;
            if (rest != 0) {
                return Long.numberOfTrailingZeros(rest);
            }
        }
        int above = Math.max(0, from - Long.SIZE);
        long rest = above < Long.SIZE ? high & -1L << above : 0;
        return rest == 0 ? -1 : Long.SIZE + Long.numberOfTrailingZeros(rest);
    }

    /** The indexes, ascending. */
    public IntStream indexes() {
        return IntStream.concat(bits(low), bits(high).map(index -> index + Long.SIZE));
    }

    private static IntStream bits(long word) {
        return LongStream.iterate(word, rest -> rest != 0, rest -> rest & (rest - 1))
                .mapToInt(Long::numberOfTrailingZeros);
    }

    @Override
    public int compareTo(GpuSet other) {
        return high == other.high ? Long.compareUnsigned(low, other.low) : Long.compareUnsigned(high, other.high);
    }

    /** Such as {@code {0,3}}. */
    @Override
    public String toString() {
        return indexes().mapToObj(Integer::toString).collect(Collectors.joining(",", "{", "}"));
    }
}
