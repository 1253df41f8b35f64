package io.numaledger.gpu;

import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/**
 * What makes one set of GPUs better than another of the same size, packed into one number so that a comparison is one
 * instruction. In this order: more links in sum; more links between its weakest pair (a ring runs at its slowest hop);
 * nearer on PCIe in sum, counted only on machines where the level of every pair is known; fewer NUMA nodes.
 */
final class SetScore {

    /** The weakest pair of a set that has no pair. */
    static final int NO_PAIR = LinkMatrix.MAX_LINKS;

    private static final int LEVELS_AT = 8;
    private static final int WEAKEST_AT = 26;
    private static final int LINKS_AT = 34;

    private final LinkMatrix links;
    private final PcieLevels pcie;
    private final boolean levelsCount;
    private final GpuSet[] nodeOf;

    SetScore(GpuTopology topology) {
        links = topology.links();
        pcie = topology.pcie();
        levelsCount = pcie.complete();
        nodeOf = nodesAsBits(topology.gpus());
    }

    /** One bit per NUMA node that has a GPU, in order of appearance; the unknown node has a bit of its own. */
    private static GpuSet[] nodesAsBits(List<Gpu> gpus) {
        List<OptionalInt> nodes = gpus.stream().map(Gpu::numaNode).distinct().toList();
        return gpus.stream()
                .map(gpu -> GpuSet.of(nodes.indexOf(gpu.numaNode())))
                .toArray(GpuSet[]::new);
    }

    int links(int first, int second) {
        return links.links(first, second);
    }

    int level(int first, int second) {
        return levelsCount ? pcie.score(first, second).orElse(0) : 0;
    }

    /** The NUMA node of a GPU as one bit of a set of nodes. */
    GpuSet node(int gpu) {
        return nodeOf[gpu];
    }

    static long pack(long links, int weakest, int levels, int nodes) {
        return links << LINKS_AT | (long) weakest << WEAKEST_AT | (long) levels << LEVELS_AT | (0xff - nodes);
    }

    static long links(long score) {
        return score >>> LINKS_AT;
    }

    static int weakest(long score) {
        return (int) (score >>> WEAKEST_AT) & 0xff;
    }

    static int levels(long score) {
        return (int) (score >>> LEVELS_AT) & 0x3ffff;
    }

    /** The score from the definition, pair by pair. */
    long of(GpuSet set) {
        int[] members = set.indexes().toArray();
        int weakest = NO_PAIR;
        int levels = 0;
        for (int i = 1; i < members.length; i++) {
            for (int j = 0; j < i; j++) {
                weakest = Math.min(weakest, links(members[i], members[j]));
                levels += level(members[i], members[j]);
            }
        }
        int nodes = IntStream.of(members)
                .mapToObj(this::node)
                .reduce(GpuSet.NONE, GpuSet::or)
                .size();
        return pack(links.total(set), weakest, levels, nodes);
    }
}
