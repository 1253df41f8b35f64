package io.numaledger.simulator.hardware;

/** A text that describes no nodes; the message names the field. */
public final class NodeSpecException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NodeSpecException(String message, Throwable cause) {
        super(message, cause);
    }
}
