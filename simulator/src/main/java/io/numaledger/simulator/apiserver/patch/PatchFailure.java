package io.numaledger.simulator.apiserver.patch;

/** A patch that is well formed, but cannot be applied to this object. */
public final class PatchFailure extends RuntimeException {

    public PatchFailure(String message) {
        super(message);
    }
}
