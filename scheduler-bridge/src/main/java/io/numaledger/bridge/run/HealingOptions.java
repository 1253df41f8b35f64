package io.numaledger.bridge.run;

import io.numaledger.scheduling.healing.Healing;
import io.numaledger.scheduling.healing.Misplaced;
import io.numaledger.scheduling.state.ClusterState;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/** Whether pods that missed what they demanded of their placement are evicted, and how many. */
final class HealingOptions {

    /** The highest {@code --heal-per-hour}: as often as {@link #CHECK_INTERVAL} allows. */
    private static final int MOST_PER_HOUR = 360;

    static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

    @Option(
            names = "--heal-misaligned",
            description =
                    "evict pods that run without the claim alignment that they require, or over more zones than they allow, so that they are placed again; respects disruption budgets")
    private boolean enabled;

    @Option(
            names = "--heal-per-hour",
            paramLabel = "N",
            description = "with --heal-misaligned: at most so many evictions in an hour (default: ${DEFAULT-VALUE})")
    private int perHour = 6;

    void check() {
        if (perHour < 1 || perHour > MOST_PER_HOUR) {
            throw new IllegalArgumentException(
                    "--heal-per-hour is %d; use a number from 1 to %d".formatted(perHour, MOST_PER_HOUR));
        }
    }

    /**
     * The healing; absent: nothing is evicted.
     *
     * @param schedulers whose pods may be evicted
     */
    Optional<Healing> healing(
            ClusterState cluster,
            Set<String> schedulers,
            Replicas replicas,
            Consumer<Misplaced> evicted,
            InstantSource clock) {
        Duration interval = Duration.ofHours(1).dividedBy(perHour);
        return enabled
                ? Optional.of(new Healing(
                        cluster,
                        new Healing.Settings(schedulers, interval),
                        replicas.evictor(),
                        replicas.controllers(),
                        evicted,
                        clock))
                : Optional.empty();
    }
}
