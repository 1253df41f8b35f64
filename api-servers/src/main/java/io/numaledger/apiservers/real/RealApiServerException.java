package io.numaledger.apiservers.real;

/** A real etcd or kube-apiserver cannot be started, or ended unexpectedly. */
public final class RealApiServerException extends RuntimeException {

    public RealApiServerException(String message) {
        super(message);
    }

    public RealApiServerException(String message, Throwable cause) {
        super(message, cause);
    }
}
