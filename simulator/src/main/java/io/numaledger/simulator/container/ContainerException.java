package io.numaledger.simulator.container;

/** Containers cannot run here. The message says what to do. */
public final class ContainerException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    ContainerException(String message) {
        super(message);
    }

    ContainerException(String message, Throwable cause) {
        super(message, cause);
    }
}
