package io.numaledger.simulator.realapi;

/** A real etcd or kube-apiserver could not be started, or ended while it was needed. */
public final class RealApiServerException extends RuntimeException {

    public RealApiServerException(String message) {
        super(message);
    }

    public RealApiServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
