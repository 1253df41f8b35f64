package io.numaledger.agent.api;

import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** The API server answered with an error. */
public final class ApiException extends IOException {

    private static final long serialVersionUID = 1;

    private final int status;
    private final transient Optional<Duration> retryAfter;

    public ApiException(int status, String message, Optional<Duration> retryAfter) {
        super(message);
        this.status = status;
        this.retryAfter = retryAfter;
    }

    /** The HTTP status, such as 409. */
    public int status() {
        return status;
    }

    /** The Retry-After of the server. */
    public Optional<Duration> retryAfter() {
        return retryAfter;
    }
}
