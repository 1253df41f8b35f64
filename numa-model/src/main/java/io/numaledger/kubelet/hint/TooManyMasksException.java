package io.numaledger.kubelet.hint;

/** The NUMA nodes of a machine are too different from each other for the model to find the kubelet's choice in bounded time. */
public final class TooManyMasksException extends RuntimeException {

    public TooManyMasksException(String message) {
        super(message);
    }
}
