package io.numaledger.evaluation.score;

import java.util.List;

/** What {@code prioritize} compares; users choose the order. */
public enum ScoringCriterion {
    /** The pod spreads over few zones. */
    FewestZones,
    /** The largest request that one zone of the node can still take stays large. */
    LeastFragmentation,
    /** The scoring strategy. */
    Strategy;

    /** What is compared if no flag says otherwise. */
    public static final List<ScoringCriterion> DEFAULT = List.of(FewestZones, LeastFragmentation, Strategy);
}
