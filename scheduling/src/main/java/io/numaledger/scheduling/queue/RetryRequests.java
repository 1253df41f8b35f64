package io.numaledger.scheduling.queue;

import java.time.Duration;

/**
 * How often kube-scheduler was asked to retry a pod since its last filter call for it. A request may be lost: it could not be written, or
 * kube-scheduler's attempt ended before the call of {@code filter}, or another replica was called. It is therefore repeated, with pauses that
 * double each time.
 *
 * @param notBefore when the next one may follow, in nanoseconds
 */
public record RetryRequests(int count, long notBefore) {

    /** The first pause, longer than kube-scheduler needs for the attempt: its default podMaxBackoffSeconds, and waiting for other pods. */
    static final Duration FIRST_PAUSE = Duration.ofSeconds(30);

    /** The first pause after a request that could not be written. */
    static final Duration FIRST_PAUSE_AFTER_FAILURE = Duration.ofSeconds(1);

    /** After so long, kube-scheduler retries each pod by itself. */
    static final Duration MAX_PAUSE = Duration.ofMinutes(5);

    public static final RetryRequests NONE = new RetryRequests(0, 0);

    private static final int MAX_DOUBLINGS = 16;

    public boolean mayRequest(long now) {
        return count == 0 || now - notBefore >= 0;
    }

    public RetryRequests requested(long now) {
        return new RetryRequests(count + 1, now + pause(FIRST_PAUSE, count));
    }

    /** The last request could not be written. No change if kube-scheduler has tried the pod since. */
    RetryRequests failed(long now) {
        return count == 0 ? this : new RetryRequests(count, now + pause(FIRST_PAUSE_AFTER_FAILURE, count - 1));
    }

    private static long pause(Duration first, int doublings) {
        return Math.min(MAX_PAUSE.toNanos(), first.toNanos() << Math.min(doublings, MAX_DOUBLINGS));
    }
}
