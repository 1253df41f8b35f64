package io.numaledger.gpu;

import java.util.Optional;

/**
 * Finds the GPUs with the most links among each other: exactly where there are up to {@link #EXACT_LIMIT} usable ones,
 * which is every single machine sold today, and in bounded time beyond. Ties go, in this order, to the set with the
 * stronger weakest pair; nearer on PCIe in sum (only where all levels are known); on fewer NUMA nodes; that leaves more
 * links among the usable ones not chosen; with the lower mask. So the answer depends on nothing but its inputs.
 *
 * <p>One object serves all searches about one machine, from any thread.
 */
public final class LinkedSetSearch {

    /** The most usable GPUs that all subsets are looked at for. */
    public static final int EXACT_LIMIT = 16;

    private final GpuTopology topology;
    private final Optional<SubsetTable> table;

    public LinkedSetSearch(GpuTopology topology) {
        this.topology = topology;
        this.table = topology.gpus().size() <= EXACT_LIMIT
                ? Optional.of(tableOf(topology, topology.all()))
                : Optional.empty();
    }

    private static SubsetTable tableOf(GpuTopology topology, GpuSet members) {
        return new SubsetTable(new SetScore(topology), members.indexes().toArray());
    }

    /** As {@link #best(int, GpuSet, GpuSet)}, with nothing required. */
    public Optional<LinkedSet> best(int size, GpuSet free) {
        return best(size, free, GpuSet.NONE);
    }

    /**
     * The best set of this size out of the free GPUs.
     *
     * @param size 1 or more
     * @param free may name GPUs that the machine does not have; they are left out
     * @param required in every answer
     * @return empty when there is no such set: too few are free, or a required one is not free, or more are required
     */
    public Optional<LinkedSet> best(int size, GpuSet free, GpuSet required) {
        if (size < 1) {
            throw new IllegalArgumentException("a set to pick has 1 GPU or more: size=%d; ask for one".formatted(size));
        }
        GpuSet usable = free.and(topology.all());
        if (usable.size() < size || required.size() > size || !usable.containsAll(required)) {
            return Optional.empty();
        }
        GpuSet open = usable.minus(required);
        if (table.isPresent()) {
            return Optional.of(table.get().best(size, open, required));
        }
        return Optional.of(
                usable.size() <= EXACT_LIMIT
                        ? tableOf(topology, usable).best(size, open, required)
                        : new BoundedSearch(topology, size, open, required).best());
    }

    /** The largest set of free GPUs that all have links to each other: how big a fast job still fits. */
    public GpuSet largestClique(GpuSet free) {
        return new LargestClique(topology.links()).within(free.and(topology.all()));
    }
}
