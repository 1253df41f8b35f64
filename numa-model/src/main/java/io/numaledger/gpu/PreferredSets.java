package io.numaledger.gpu;

import io.numaledger.gpu.PossibleSets.Group;

import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The sets of whole GPUs that NVIDIA's device plugin may prefer. It divides the free GPUs into sets of the size in question, of which
 * one may be smaller, in the way that has the greatest score in total. Of these sets, it prefers the one with the greatest score, which
 * is not always the set with the most links (gpuallocator/besteffort_policy.go in NVIDIA/go-gpuallocator). A pair scores 100 for each
 * NVLink, and more the nearer it is on the PCI bus. Where scores are equal, the order in which the kubelet lists the GPUs decides,
 * which is random.
 */
public final class PreferredSets {

    /** The most free GPUs. With more, there can be more than four sets, and the plugin overwrites divisions that it has yet to compare. */
    static final int MAX_FREE = 8;

    /** Some releases of the plugin do not see more links of a pair. */
    static final int MAX_LINKS = 12;

    private static final int LINK_SCORE = 100;

    /** The score of two GPUs on one board, which count as {@link PcieLevel#PIX} here. */
    private static final int SAME_BOARD_SCORE = 60;

    private final GpuTopology topology;
    private final int size;
    private final int rest;
    private final List<List<GpuSet>> divisions = new ArrayList<>();

    private PreferredSets(GpuTopology topology, GpuSet free, int size) {
        this.topology = topology;
        this.size = size;
        this.rest = free.size() % size;
        divide(free, List.of());
    }

    /**
     * The sets, one of which the plugin prefers. Absent where it is unknown what the plugin does: with switches, whose links most of its
     * releases do not see; with more than 8 free GPUs or 12 links of a pair; and where it may prefer the smaller set, which makes it fail.
     *
     * @param free what the kubelet lets the plugin choose from; {@code size} or more
     * @param size 1 or more
     */
    public static Optional<List<GpuSet>> of(GpuTopology topology, GpuSet free, int size) {
        return isModelled(topology, free) ? new PreferredSets(topology, free, size).preferred() : Optional.empty();
    }

    private static boolean isModelled(GpuTopology topology, GpuSet free) {
        return topology.kind() == LinkKind.DIRECT
                && free.size() <= MAX_FREE
                && free.indexes()
                        .allMatch(gpu -> topology.gpus().get(gpu).linksKnown()
                                && free.indexes()
                                        .allMatch(other -> topology.links().links(gpu, other) <= MAX_LINKS));
    }

    private void divide(GpuSet left, List<GpuSet> sets) {
        if (left.isEmpty()) {
            divisions.add(sets);
            return;
        }
        if (left.size() >= size) {
            divide(left, sets, size);
        }
        if (left.size() % size != 0) {
            divide(left, sets, rest);
        }
    }

    private void divide(GpuSet left, List<GpuSet> sets, int next) {
        GpuSet lowest = GpuSet.of(left.next(0));
        Group others = new Group(left.minus(lowest), next - 1, next - 1);
        new PossibleSets(List.of(others), next - 1).visit(some -> {
            GpuSet set = some.or(lowest);
            List<GpuSet> more = new ArrayList<>(sets);
            more.add(set);
            divide(left.minus(set), more);
            return true;
        });
    }

    private Optional<List<GpuSet>> preferred() {
        long best = divisions.stream().mapToLong(this::least).max().orElseThrow();
        NavigableSet<GpuSet> preferred = new TreeSet<>();
        divisions.stream().filter(sets -> most(sets) >= best).forEach(sets -> {
            long bestOfSets =
                    sets.stream().mapToLong(set -> least(List.of(set))).max().orElseThrow();
            sets.stream().filter(set -> most(List.of(set)) >= bestOfSets).forEach(preferred::add);
        });
        return preferred.stream().allMatch(set -> set.size() == size)
                ? Optional.of(List.copyOf(preferred))
                : Optional.empty();
    }

    private long least(List<GpuSet> sets) {
        return score(sets, 0, PcieLevel.PIX.score());
    }

    private long most(List<GpuSet> sets) {
        return score(sets, SAME_BOARD_SCORE, SAME_BOARD_SCORE);
    }

    /**
     * The score of sets in total.
     *
     * @param unknown the score of an unknown PCIe level
     * @param nearest that of {@link PcieLevel#PIX}
     */
    private long score(List<GpuSet> sets, int unknown, int nearest) {
        return sets.stream()
                .mapToLong(set -> set.indexes()
                        .mapToLong(first -> set.indexes()
                                .filter(second -> second > first)
                                .mapToLong(second ->
                                        (long) LINK_SCORE * topology.links().links(first, second)
                                                + level(first, second, unknown, nearest))
                                .sum())
                        .sum())
                .sum();
    }

    private int level(int first, int second, int unknown, int nearest) {
        return topology.pcie()
                .level(first, second)
                .map(level -> level == PcieLevel.PIX ? nearest : level.score())
                .orElse(unknown);
    }
}
