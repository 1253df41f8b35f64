package io.numaledger.bridge.claim;

import java.util.List;

/**
 * Devices that a driver publishes (ResourceSlice, resource.k8s.io/v1).
 *
 * @param generation of its pool: only slices of the newest one count
 * @param sliceCount of how many slices the pool consists in this generation
 * @param devices in the driver's order
 * @param problems what of it cannot be read, as sentences; a bounded number
 */
public record ResourceSlice(
        String name,
        String driver,
        String pool,
        long generation,
        long sliceCount,
        List<Device> devices,
        List<String> problems) {

    public ResourceSlice {
        devices = List.copyOf(devices);
        problems = List.copyOf(problems);
    }
}
