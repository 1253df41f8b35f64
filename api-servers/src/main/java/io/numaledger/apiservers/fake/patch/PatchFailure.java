package io.numaledger.apiservers.fake.patch;

/** A well-formed patch that cannot be applied to this object. */
public final class PatchFailure extends RuntimeException {

    public PatchFailure(String message) {
        super(message);
    }
}
