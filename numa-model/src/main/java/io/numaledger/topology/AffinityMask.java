package io.numaledger.topology;

import java.util.Collection;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/** A set of NUMA nodes, one bit per NUMA node id: bit 0 is NUMA node 0. Holds ids 0–63, as the kubelet's own masks do. */
public record AffinityMask(long bits) {

    /** The highest NUMA node id that a mask can hold; real machines have higher ones (72, 250), which are not modelled. */
    public static final int MAX_ID = 63;

    public static final AffinityMask NONE = new AffinityMask(0);

    public static AffinityMask of(int... ids) {
        return new AffinityMask(IntStream.of(ids).mapToLong(AffinityMask::bit).reduce(0L, (a, b) -> a | b));
    }

    public static AffinityMask of(Collection<Integer> ids) {
        return of(ids.stream().mapToInt(Integer::intValue).toArray());
    }

    private static long bit(int id) {
        if (id < 0 || id > MAX_ID) {
            throw new IllegalArgumentException(
                    "an affinity mask holds NUMA node ids 0-63: id=%d; leave this node out of the model".formatted(id));
        }
        return 1L << id;
    }

    public boolean contains(int id) {
        return id >= 0 && id <= MAX_ID && (bits & (1L << id)) != 0;
    }

    public int count() {
        return Long.bitCount(bits);
    }

    public boolean isEmpty() {
        return bits == 0;
    }

    public AffinityMask and(AffinityMask other) {
        return new AffinityMask(bits & other.bits);
    }

    public AffinityMask or(AffinityMask other) {
        return new AffinityMask(bits | other.bits);
    }

    public boolean containsAll(AffinityMask other) {
        return (other.bits & ~bits) == 0;
    }

    /**
     * Fewer NUMA nodes is narrower; between equals, the mask that is the smaller unsigned number.
     * Same order as IsNarrowerThan in the kubelet, cm/topologymanager/bitmask/bitmask.go.
     */
    public boolean isNarrowerThan(AffinityMask other) {
        return count() == other.count() ? Long.compareUnsigned(bits, other.bits) < 0 : count() < other.count();
    }

    /** The NUMA node ids, ascending. */
    public IntStream ids() {
        return LongStream.iterate(bits, rest -> rest != 0, rest -> rest & (rest - 1))
                .mapToInt(Long::numberOfTrailingZeros);
    }

    /** Such as {@code {0,1}}. */
    @Override
    public String toString() {
        return ids().mapToObj(Integer::toString).collect(Collectors.joining(",", "{", "}"));
    }
}
