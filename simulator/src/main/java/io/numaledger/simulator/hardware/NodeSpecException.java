package io.numaledger.simulator.hardware;

import org.jspecify.annotations.Nullable;

/** A text that describes no nodes; the message names the field. */
public final class NodeSpecException extends RuntimeException {

    private static final long serialVersionUID = 1;

    NodeSpecException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
