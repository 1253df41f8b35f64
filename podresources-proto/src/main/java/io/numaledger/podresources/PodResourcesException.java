package io.numaledger.podresources;

import org.jspecify.annotations.Nullable;

/** The kubelet's podresources socket gave no usable answer. */
public final class PodResourcesException extends Exception {

    private static final long serialVersionUID = 1;

    /** What a caller can do about it. */
    public enum Kind {
        /** No socket, or no process that listens: wait for the kubelet. */
        UNAVAILABLE,
        /** No answer within the deadline. */
        TIMEOUT,
        /** The kubelet's rate limit, which all its clients share: wait before the next call. */
        RATE_LIMITED,
        /** The kubelet does not have this call, or it is switched off. */
        NOT_SUPPORTED,
        /** The answer is larger than we receive. */
        TOO_LARGE,
        /** The pod is not known to the kubelet; only from {@code Get}. */
        NO_SUCH_POD,
        /** Anything else. */
        FAILED
    }

    private final Kind kind;

    PodResourcesException(Kind kind, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
    }

    /** The kubelet's answer for an unknown pod (apis/podresources/server_v1.go). */
    public static PodResourcesException noSuchPod(String namespace, String name) {
        return new PodResourcesException(
                Kind.NO_SUCH_POD, "pod %s in namespace %s not found".formatted(name, namespace), null);
    }

    public Kind kind() {
        return kind;
    }
}
