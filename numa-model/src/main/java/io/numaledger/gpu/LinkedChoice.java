package io.numaledger.gpu;

import java.util.List;
import java.util.Optional;

/**
 * What the possible sets of GPUs mean for a pod that demands links.
 *
 * @param fewest the fewest links that a possible set has
 * @param most the most links that one has
 * @param only the set, where one only is possible
 */
public record LinkedChoice(LinkVerdict verdict, long fewest, long most, Optional<GpuSet> only) {

    /** How many sets are compared; enough for every 10 of 20 GPUs. */
    static final int MAX_SETS = 1 << 18;

    /** The choice among the possible sets; absent where there are too many sets to compare. */
    public static Optional<LinkedChoice> of(LinkMatrix links, PossibleSets sets, LinkDemand demand) {
        if (links.uniform().isPresent()) {
            return Optional.of(ofEqualSets(links, sets, demand));
        }
        Comparison comparison = new Comparison(links, demand);
        return sets.visit(comparison::add) ? Optional.of(comparison.result()) : Optional.empty();
    }

    /** @param sets different ones of one size; not empty */
    public static LinkedChoice of(LinkMatrix links, List<GpuSet> sets, LinkDemand demand) {
        Comparison comparison = new Comparison(links, demand);
        sets.forEach(comparison::add);
        return comparison.result();
    }

    /** Every pair has the same number of links, as with switches: all sets are alike. */
    private static LinkedChoice ofEqualSets(LinkMatrix links, PossibleSets sets, LinkDemand demand) {
        GpuSet any = GpuSet.of(sets.gpus().indexes().limit(sets.size()).toArray());
        long total = links.total(any);
        return new LinkedChoice(
                demand.isMetBy(any, links) ? LinkVerdict.WILL : LinkVerdict.CANNOT, total, total, sets.only());
    }

    private static final class Comparison {

        private final LinkMatrix links;
        private final LinkDemand demand;
        private int visited;
        private int meeting;
        private long fewest = Long.MAX_VALUE;
        private long most = -1;
        private GpuSet last = GpuSet.NONE;

        Comparison(LinkMatrix links, LinkDemand demand) {
            this.links = links;
            this.demand = demand;
        }

        boolean add(GpuSet set) {
            long total = links.total(set);
            meeting += demand.isMetBy(set, links) ? 1 : 0;
            fewest = Math.min(fewest, total);
            last = set;
            most = Math.max(most, total);
            return ++visited <= MAX_SETS;
        }

        LinkedChoice result() {
            LinkVerdict some = meeting == 0 ? LinkVerdict.CANNOT : LinkVerdict.CAN;
            return new LinkedChoice(
                    meeting == visited ? LinkVerdict.WILL : some,
                    fewest,
                    most,
                    visited == 1 ? Optional.of(last) : Optional.empty());
        }
    }
}
