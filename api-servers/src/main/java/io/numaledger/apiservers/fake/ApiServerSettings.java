package io.numaledger.apiservers.fake;

import javax.net.ssl.SSLContext;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/**
 * Settings of an embedded API server.
 *
 * @param port on the loopback interface; 0 for any free port
 * @param historyLimit how many changes are kept; a watch from an older resource version gets 410 Gone
 * @param bookmarkPeriod how often a watch with bookmarks gets one
 * @param clock the source of timestamps
 * @param tls key and certificate for HTTPS; empty for plain HTTP
 */
public record ApiServerSettings(
        int port, int historyLimit, Duration bookmarkPeriod, InstantSource clock, Optional<SSLContext> tls) {

    public ApiServerSettings {
        if (historyLimit < 1) {
            throw new IllegalArgumentException(
                    "a server without history cannot serve a watch: historyLimit=%d; keep at least 1 change"
                            .formatted(historyLimit));
        }
    }

    /** Any free port, 10,000 changes, one bookmark per minute, the system clock, plain HTTP. */
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
