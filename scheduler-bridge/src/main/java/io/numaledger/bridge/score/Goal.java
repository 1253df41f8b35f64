package io.numaledger.bridge.score;

/** What prioritize looks at, in an order that can be chosen. */
public enum Goal {
    /** Spread over few zones. */
    ZONES,
    /** Keep the largest request placeable that one zone can still take. */
    WHOLE_ZONES,
    /** The strategy. */
    STRATEGY
}
