package io.numaledger.simulator.hardware;

import io.numaledger.placement.DeviceAllocation;

import java.util.HashSet;
import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * The devices that one device plugin serves on a node.
 *
 * @param resource such as {@code nvidia.com/gpu}
 * @param devices sorted by id; a device without NUMA nodes is one whose plugin tells no topology
 * @param preferredAllocation whether the plugin answers GetPreferredAllocation
 * @param maxPerContainer the plugin fails Allocate for a container that asks for more; empty: for none
 */
public record DevicePluginSpec(
        String resource, List<DeviceAllocation> devices, boolean preferredAllocation, OptionalInt maxPerContainer) {

    /** A plugin that refuses nothing. */
    public DevicePluginSpec(String resource, List<DeviceAllocation> devices, boolean preferredAllocation) {
        this(resource, devices, preferredAllocation, OptionalInt.empty());
    }

    public DevicePluginSpec {
        devices = devices.stream().sorted().toList();
        Set<String> seen = new HashSet<>();
        for (DeviceAllocation device : devices) {
            if (!device.resource().equals(resource)) {
                throw new IllegalArgumentException(
                        "a device plugin serves one resource: resource=%s device=%s has resource=%s"
                                .formatted(resource, device.deviceId(), device.resource()));
            }
            if (!seen.add(device.deviceId())) {
                throw new IllegalArgumentException(
                        "a device id stands once in a resource: resource=%s id=%s; give other ids"
                                .formatted(resource, device.deviceId()));
            }
        }
    }
}
