package io.numaledger.bridge.claim;

import java.util.List;

/**
 * The devices of a pool, or those of one node in it.
 *
 * @param complete all slices of its newest generation are there: kube-scheduler allocates from no other pool
 * @param devices in the order of the slices' names, and within a slice in the driver's order
 */
public record DevicePool(String driver, String name, boolean complete, List<Device> devices) {

    public DevicePool {
        devices = List.copyOf(devices);
    }
}
