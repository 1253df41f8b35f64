package io.numaledger.simulator.apiserver.selection;

/** A selector that cannot be read; the message is the sentence of the real server. */
public final class SelectorSyntaxException extends RuntimeException {

    public SelectorSyntaxException(String message) {
        super(message);
    }
}
