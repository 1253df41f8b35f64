package io.numaledger.counts;

import io.numaledger.topology.AffinityMask;

import java.util.EnumSet;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * An answer for people: the verdict, and all that it takes for granted.
 *
 * @param verdict as {@link CountsEvaluator#verdict}; a mask counts zones by position
 */
public record CountsAnswer(long verdict, SortedSet<Assumption> assumptions) {

    public static CountsAnswer of(CountsEvaluator evaluator, NodeCounts node, PodAsk ask) {
        long verdict = evaluator.verdict(node, ask);
        Set<Assumption> assumptions = EnumSet.noneOf(Assumption.class);
        assumptions.addAll(node.assumptions());
        if (ask.reuses && CountsEvaluator.isByContainer(node, ask)) {
            assumptions.add(Assumption.REUSE_FIRST);
        }
        boolean wide = verdict >= 0 && Long.bitCount(verdict) != 1 && node.zones() > 1;
        if (wide) {
            assumptions.add(Assumption.SPLIT_OVER_ZONES);
        }
        return new CountsAnswer(verdict, new TreeSet<>(assumptions));
    }

    public boolean admitted() {
        return verdict >= 0;
    }

    /** The zones, by position. */
    public AffinityMask mask() {
        return new AffinityMask(Math.max(0, verdict));
    }
}
