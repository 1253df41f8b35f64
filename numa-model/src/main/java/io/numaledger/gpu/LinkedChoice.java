package io.numaledger.gpu;

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

    /** Who chooses one of the possible sets. */
    public enum Chooser {
        /** Nobody: each of them is possible. */
        RANDOM,
        /** A device plugin that prefers a set with the most links. */
        MOST_LINKS
    }

    /** Absent where there are too many sets to compare. */
    public static Optional<LinkedChoice> of(LinkMatrix links, PossibleSets sets, LinkDemand demand, Chooser chooser) {
        if (links.uniform().isPresent()) {
            return Optional.of(ofEqualSets(links, sets, demand));
        }
        Comparison comparison = new Comparison(links, demand, chooser == Chooser.MOST_LINKS);
        return sets.visit(comparison::add) ? Optional.of(comparison.result()) : Optional.empty();
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
        private final boolean mostOnly;
        private int visited;
        private int kept;
        private int meeting;
        private long fewest = Long.MAX_VALUE;
        private long most = -1;
        private GpuSet last = GpuSet.NONE;

        Comparison(LinkMatrix links, LinkDemand demand, boolean mostOnly) {
            this.links = links;
            this.demand = demand;
            this.mostOnly = mostOnly;
        }

        boolean add(GpuSet set) {
            long total = links.total(set);
            if (mostOnly && total > most) {
                kept = 0;
                meeting = 0;
                fewest = total;
            }
            if (!mostOnly || total >= most) {
                kept++;
                meeting += demand.isMetBy(set, links) ? 1 : 0;
                fewest = Math.min(fewest, total);
                last = set;
            }
            most = Math.max(most, total);
            return ++visited <= MAX_SETS;
        }

        LinkedChoice result() {
            LinkVerdict some = meeting == 0 ? LinkVerdict.CANNOT : LinkVerdict.CAN;
            return new LinkedChoice(
                    meeting == kept ? LinkVerdict.WILL : some,
                    fewest,
                    most,
                    kept == 1 ? Optional.of(last) : Optional.empty());
        }
    }
}
