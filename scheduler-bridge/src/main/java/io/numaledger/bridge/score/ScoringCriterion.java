package io.numaledger.bridge.score;

/** What {@code prioritize} compares; users choose the order. */
public enum ScoringCriterion {
    /** The pod spreads over few zones. */
    FewestZones,
    /** The largest request that one zone of the node can still take stays large. */
    LeastFragmentation,
    /** The scoring strategy. */
    Strategy
}
