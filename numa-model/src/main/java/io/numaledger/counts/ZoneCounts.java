package io.numaledger.counts;

import java.util.OptionalLong;

/**
 * One resource on one zone, as a NodeResourceTopology tells it: CPUs in milli-CPU, memory in bytes, devices in counts.
 *
 * @param capacity all of it; absent when the exporter does not tell
 * @param allocatable what pods may use
 * @param available allocatable less what pods hold; may be below zero
 */
public record ZoneCounts(OptionalLong capacity, long allocatable, long available) {

    public ZoneCounts {
        if (allocatable < 0 || capacity.orElse(allocatable) < 0) {
            throw new IllegalArgumentException(
                    "counts of a zone are 0 or more: capacity=%s allocatable=%d; look at the exporter"
                            .formatted(capacity, allocatable));
        }
    }
}
