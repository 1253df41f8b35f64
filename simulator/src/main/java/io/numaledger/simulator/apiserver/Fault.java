package io.numaledger.simulator.apiserver;

import java.time.Duration;
import java.util.Optional;

/** What the server does wrong, on demand. */
public sealed interface Fault {

    /**
     * Answers with this status and does nothing.
     *
     * @param code the HTTP status, such as 409, 429, 500 or 503
     * @param reason as in the Status object, such as {@code TooManyRequests}
     * @param retryAfter sent as the header Retry-After, in whole seconds
     */
    record Answer(int code, String reason, Optional<Duration> retryAfter) implements Fault {

        public static Answer conflict() {
            return new Answer(409, "Conflict", Optional.empty());
        }

        public static Answer tooManyRequests(Duration retryAfter) {
            return new Answer(429, "TooManyRequests", Optional.of(retryAfter));
        }

        public static Answer internalError() {
            return new Answer(500, "InternalError", Optional.empty());
        }

        public static Answer unavailable() {
            return new Answer(503, "ServiceUnavailable", Optional.empty());
        }
    }

    /** Answers as ever, but later. */
    record Delay(Duration by) implements Fault {}

    /** Closes the connection without an answer; nothing is done. */
    record Drop() implements Fault {}

    /** Closes the connection in the middle of a watch, after this many events. */
    record CutWatch(int afterEvents) implements Fault {}
}
