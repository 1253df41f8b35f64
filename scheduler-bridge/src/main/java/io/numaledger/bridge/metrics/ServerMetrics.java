package io.numaledger.bridge.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.numaledger.bridge.server.BridgeServer.Route;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** HTTP requests, and the certificates with which they come. */
public final class ServerMetrics {

    /** A certificate without which the bridge cannot be used. */
    public enum Certificate {
        SERVING,
        CLIENT_CA,
        CLIENT
    }

    /** The bounds of the request histogram: from a cached answer to the longest timeout. */
    private static final Duration[] BUCKETS = Stream.of(1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
            .map(Duration::ofMillis)
            .toArray(Duration[]::new);

    private final MeterRegistry registry;

    ServerMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** The given route, timed. */
    public Route timed(String verb, Route route) {
        Timer timer = Timer.builder("numaledger_bridge_request")
                .description("time to answer, by verb")
                .tag("verb", verb)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
        return request -> {
            long start = System.nanoTime();
            try {
                return route.answer(request);
            } finally {
                timer.record(Duration.ofNanos(System.nanoTime() - start));
            }
        };
    }

    /**
     * Measures when a certificate expires.
     *
     * @param name of the client; else empty
     * @param expiry absent while it is not known
     */
    public void certificate(Certificate certificate, String name, Supplier<Optional<Instant>> expiry) {
        Gauge.builder(
                        "numaledger_bridge_certificate_expiry_timestamp_seconds",
                        () -> BridgeMetrics.seconds(expiry.get()))
                .description("when a certificate expires, in seconds since the epoch")
                .tag("certificate", certificate.name().toLowerCase(Locale.ROOT))
                .tag("name", name)
                .register(registry);
    }
}
