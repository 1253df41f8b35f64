package io.numaledger.simulator.cluster;

/** A simulated cluster cannot be started, or something in it ended that should run. */
public final class SimClusterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public SimClusterException(String message) {
        super(message);
    }

    public SimClusterException(String message, Throwable cause) {
        super(message, cause);
    }
}
