package io.numaledger.evaluation.claim;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * Devices that a driver publishes (ResourceSlice, resource.k8s.io/v1).
 *
 * @param generation of its pool: only slices of the newest one count
 * @param sliceCount of how many slices the pool consists in this generation
 * @param devices in the driver's order
 * @param counters of the pool, in thousandths, by set and name
 * @param problems what of it cannot be read, as sentences; a bounded number
 */
public record ResourceSlice(
        String name,
        String driver,
        String pool,
        long generation,
        long sliceCount,
        List<Device> devices,
        SortedMap<String, Long> counters,
        List<String> problems) {

    public ResourceSlice {
        devices = List.copyOf(devices);
        counters = sorted(counters);
        problems = List.copyOf(problems);
    }

    /** A slice without counters. */
    public ResourceSlice(
            String name,
            String driver,
            String pool,
            long generation,
            long sliceCount,
            List<Device> devices,
            List<String> problems) {
        this(name, driver, pool, generation, sliceCount, devices, Collections.emptySortedMap(), problems);
    }
}
