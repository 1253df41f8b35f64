package io.numaledger.fakeapiserver.patch;

/** A well-formed patch that cannot be applied to this object. */
public final class PatchFailure extends RuntimeException {

    public PatchFailure(String message) {
        super(message);
    }
}
