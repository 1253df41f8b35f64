package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.claim.ResourceClaim;

import java.io.IOException;

/** Port: takes devices away from claims that nobody uses. */
@FunctionalInterface
public interface ClaimWriter {

    /**
     * Removes the allocation of a claim, unless it has changed or a pod may use it by now.
     *
     * @return whether it is removed
     * @throws IOException if the API server refuses it, or gives no answer
     */
    boolean giveBack(ResourceClaim claim) throws IOException;
}
