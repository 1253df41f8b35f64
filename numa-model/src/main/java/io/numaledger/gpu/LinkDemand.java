package io.numaledger.gpu;

/**
 * What a pod demands of the links of its GPUs.
 *
 * @param everyPair every pair has a link
 * @param leastLinks the least sum of links over all pairs; 0: any
 */
public record LinkDemand(boolean everyPair, long leastLinks) {

    public LinkDemand {
        if (leastLinks < 0) {
            throw new IllegalArgumentException(
                    "a number of links is 0 or more: leastLinks=%d; use 0 for any".formatted(leastLinks));
        }
    }

    /** Whether a set meets it. */
    public boolean isMetBy(GpuSet set, LinkMatrix links) {
        return links.total(set) >= leastLinks && (!everyPair || isLinked(set, links));
    }

    private static boolean isLinked(GpuSet set, LinkMatrix links) {
        return set.indexes().allMatch(gpu -> links.neighbours(gpu).with(gpu).containsAll(set));
    }
}
