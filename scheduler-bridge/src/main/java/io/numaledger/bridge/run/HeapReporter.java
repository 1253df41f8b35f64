package io.numaledger.bridge.run;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.lang.management.MemoryUsage;
import java.util.Comparator;
import java.util.Optional;
import java.util.function.Supplier;

/** Reports how full the heap is with what is in use, so that somebody raises the limit before Java ends the bridge. */
final class HeapReporter {

    private static final Logger log = LoggerFactory.getLogger(HeapReporter.class);

    /** The heap's ratio beyond which one full collection follows the other soon. */
    private static final double NEARLY_FULL = 0.85;

    /** The use of a cluster that does not change varies by less than the difference. */
    private static final double ROOM = 0.8;

    private final Supplier<Optional<MemoryUsage>> afterCollection;
    private boolean nearlyFull;

    HeapReporter(MeterRegistry registry) {
        this(registry, HeapReporter::afterCollection);
    }

    /** @param afterCollection of the part of the heap where objects stay, after it was last collected; absent: Java does not tell */
    HeapReporter(MeterRegistry registry, Supplier<Optional<MemoryUsage>> afterCollection) {
        this.afterCollection = afterCollection;
        Gauge.builder("numaledger_bridge_heap_in_use_ratio", this::ratio)
                .description("part of the heap that was in use after the last full collection")
                .register(registry);
    }

    /** The usage of the largest pool after its last collection: with all collectors, objects stay in the largest pool. */
    private static Optional<MemoryUsage> afterCollection() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .map(MemoryPoolMXBean::getCollectionUsage)
                .flatMap(usage -> Optional.ofNullable(usage).stream())
                .max(Comparator.comparingLong(MemoryUsage::getMax));
    }

    /** 0 before the first full collection. */
    private double ratio() {
        return afterCollection
                .get()
                .map(usage -> (double) usage.getUsed() / usage.getMax())
                .orElse(Double.NaN);
    }

    /** Logs when the heap is nearly full, and when it no longer is. */
    void report() {
        double ratio = ratio();
        long percent = Math.round(100 * ratio);
        if (!nearlyFull && ratio > NEARLY_FULL) {
            nearlyFull = true;
            log.warn(
                    "event=heap.nearly_full in_use_percent={} effect=\"collections stop the bridge again and again; "
                            + "when the heap is full, it ends with exit code 3\" "
                            + "advice=\"raise bridge.resources.limits.memory; docs/sizing.md says how far\"",
                    percent);
        } else if (nearlyFull && ratio < ROOM) {
            nearlyFull = false;
            log.info("event=heap.has_room in_use_percent={}", percent);
        }
    }
}
