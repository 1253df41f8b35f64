package io.numaledger.kubelet.hint;

/** The kubelet would not reach a decision: it would panic or hang. */
public final class KubeletFailureException extends RuntimeException {

    /** How the kubelet fails. */
    public enum Kind {
        /** The kubelet exits. After a restart it meets the same pod and exits again. */
        PANIC,
        /** Admission never returns and keeps its locks; no other pod starts on the node. */
        HANG
    }

    private final Kind kind;

    public KubeletFailureException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
