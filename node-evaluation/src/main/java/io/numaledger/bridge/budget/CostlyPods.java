package io.numaledger.bridge.budget;

/** Port: pods whose evaluation has used up its part of a call's budget. For a while no call spends anything on them. Thread-safe. */
public interface CostlyPods {

    /** @param pod its UID */
    void add(String pod);

    /** @param pod its UID */
    boolean contains(String pod);
}
