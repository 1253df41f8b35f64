package io.numaledger.ledger;

import io.numaledger.placement.Placement;

/** One tentative step of a statement, with all that is needed to take it back. */
public sealed interface Step {

    String node();

    String pod();

    Placement placement();

    /** The pod takes its place. */
    record Charge(String node, String pod, Placement placement) implements Step {}

    /** The pod gives up its place, as in an eviction. */
    record Credit(String node, String pod, Placement placement) implements Step {}

    /** True when the two together change nothing: same pod, same node, opposite, and equal in zones and amounts. */
    default boolean cancels(Step other) {
        return getClass() != other.getClass()
                && node().equals(other.node())
                && pod().equals(other.pod())
                && placement().equals(other.placement());
    }
}
