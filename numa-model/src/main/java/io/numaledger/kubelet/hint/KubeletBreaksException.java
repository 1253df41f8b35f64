package io.numaledger.kubelet.hint;

/** The kubelet itself would not get to an answer here: it would panic, or never come back. */
public final class KubeletBreaksException extends RuntimeException {

    /** How it breaks. */
    public enum Kind {
        /** The kubelet exits; its node is gone until it is restarted, and then it happens again. */
        PANIC,
        /** Admission never returns and holds its locks; no other pod starts on the node. */
        HANG
    }

    private final Kind kind;

    public KubeletBreaksException(Kind kind, String message) {
        super(message);
        this.kind = kind;
    }

    public Kind kind() {
        return kind;
    }
}
