package io.numaledger.kubelet;

import java.util.List;

/**
 * The decisions on one pod that the kubelet may take in one state: several where it draws devices at random.
 *
 * @param decisions at least one and at most {@link #MAX}, the likeliest first
 * @param complete it takes no other decision
 */
public record PossibleDecisions(List<Decision> decisions, boolean complete) {

    /** How many decisions are told apart. */
    public static final int MAX = 16;

    public PossibleDecisions {
        decisions = List.copyOf(decisions);
    }
}
