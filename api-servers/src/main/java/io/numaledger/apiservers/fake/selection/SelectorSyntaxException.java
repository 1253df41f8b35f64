package io.numaledger.apiservers.fake.selection;

/** An invalid selector. The message is that of kube-apiserver. */
public final class SelectorSyntaxException extends RuntimeException {

    public SelectorSyntaxException(String message) {
        super(message);
    }
}
