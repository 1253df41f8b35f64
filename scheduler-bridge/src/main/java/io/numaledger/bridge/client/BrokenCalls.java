package io.numaledger.bridge.client;

import io.fabric8.kubernetes.client.KubernetesClientException;

import java.io.InterruptedIOException;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;

/** Repeats calls of the API server whose connection breaks, such as one that the API server has closed meanwhile. */
public final class BrokenCalls {

    private static final int MOST_ATTEMPTS = 3;

    private BrokenCalls() {}

    /**
     * Makes a call, and repeats it at once if its connection breaks. What the API server has answered is not asked again, whatever it says: the
     * API server may be overloaded. Neither is what it did not answer in time: that would take as long again.
     *
     * @param call on a client that repeats no request
     */
    public static <T> T repeat(Supplier<T> call) {
        for (int attempt = 1; ; attempt++) {
            try {
                return call.get();
            } catch (KubernetesClientException e) {
                if (attempt == MOST_ATTEMPTS || e.getCode() > 0 || isTimeout(e)) {
                    throw e;
                }
            }
        }
    }

    private static boolean isTimeout(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof TimeoutException || cause instanceof InterruptedIOException) {
                return true;
            }
        }
        return false;
    }
}
