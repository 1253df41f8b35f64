package io.numaledger.simulator.apiserver;

import javax.net.ssl.SSLContext;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * What can be chosen about an embedded server.
 *
 * @param port of the loopback interface; 0 for a free one
 * @param historyLimit how many changes a watch can go back before it gets 410 Gone
 * @param bookmarkPeriod how often a watch that asked for bookmarks gets one
 * @param clock for timestamps only
 * @param tls what it serves HTTPS with; absent: plain HTTP
 */
public record ApiServerSettings(
        int port, int historyLimit, Duration bookmarkPeriod, InstantSource clock, Optional<SSLContext> tls) {

    public ApiServerSettings {
        if (historyLimit < 1) {
            throw new IllegalArgumentException(
                    "a server without history serves no watch: historyLimit=%d; keep at least 1"
                            .formatted(historyLimit));
        }
    }

    /** A free port, 10,000 changes, a bookmark a minute, the system's clock. */
    public static ApiServerSettings standard() {
        return new ApiServerSettings(0, 10_000, Duration.ofMinutes(1), InstantSource.system(), Optional.empty());
    }

    public ApiServerSettings withHistoryLimit(int limit) {
        return new ApiServerSettings(port, limit, bookmarkPeriod, clock, tls);
    }

    public ApiServerSettings withBookmarkPeriod(Duration period) {
        return new ApiServerSettings(port, historyLimit, period, clock, tls);
    }

    public ApiServerSettings withClock(InstantSource source) {
        return new ApiServerSettings(port, historyLimit, bookmarkPeriod, source, tls);
    }

    public ApiServerSettings withTls(SSLContext context) {
        return new ApiServerSettings(port, historyLimit, bookmarkPeriod, clock, Optional.of(context));
    }
}
