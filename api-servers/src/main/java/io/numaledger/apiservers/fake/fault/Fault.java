package io.numaledger.apiservers.fake.fault;

import java.time.Duration;
import java.util.Optional;

/** A fault that the server injects into a request. */
public sealed interface Fault {

    /**
     * Refuses the request with a status code; no object changes.
     *
     * @param code the HTTP status, such as 409, 429, 500 or 503
     * @param reason of the {@code Status} object, such as {@code TooManyRequests}
     * @param retryAfter value of the {@code Retry-After} header, in whole seconds
     */
    record ErrorResponse(int code, String reason, Optional<Duration> retryAfter) implements Fault {

        /** The user lacks a permission. */
        public static ErrorResponse forbidden() {
            return new ErrorResponse(403, "Forbidden", Optional.empty());
        }

        public static ErrorResponse conflict() {
            return new ErrorResponse(409, "Conflict", Optional.empty());
        }

        public static ErrorResponse tooManyRequests(Duration retryAfter) {
            return new ErrorResponse(429, "TooManyRequests", Optional.of(retryAfter));
        }

        public static ErrorResponse internalError() {
            return new ErrorResponse(500, "InternalError", Optional.empty());
        }

        public static ErrorResponse unavailable() {
            return new ErrorResponse(503, "ServiceUnavailable", Optional.empty());
        }
    }

    /** Handles the request after a delay. */
    record Delay(Duration by) implements Fault {}

    /** Closes the connection without a response; no object changes. */
    record Drop() implements Fault {}

    /** Closes the connection of a watch after a number of events. */
    record CutWatch(int afterEvents) implements Fault {}
}
