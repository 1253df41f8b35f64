package io.numaledger.evaluation.claim;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The devices of a pool, or those of one node in it.
 *
 * @param complete all slices of its newest generation are there: kube-scheduler allocates from no other pool
 * @param devices in the order of the slices' names, and within a slice in the driver's order
 * @param counters what devices of the pool share ({@code sharedCounters}), in thousandths, by set and name
 */
public record DevicePool(
        String driver, String name, boolean complete, List<Device> devices, SortedMap<String, Long> counters) {

    public DevicePool {
        devices = List.copyOf(devices);
        counters = sorted(counters);
    }

    /** A pool without counters. */
    public DevicePool(String driver, String name, boolean complete, List<Device> devices) {
        this(driver, name, complete, devices, Collections.emptySortedMap());
    }
}
