package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceId;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Devices that no slice has any more, as they were read last. A driver's slices vanish with its socket, while allocations stand. Not
 * thread-safe.
 */
final class VanishedDevices {

    private final Map<DeviceId, Device> byId = new HashMap<>();
    private final Map<String, SortedMap<DeviceId, Device>> byNode = new HashMap<>();

    void put(Device device) {
        byId.put(device.id(), device);
        byNode.computeIfAbsent(PublishedDevices.nodeOf(device), any -> new TreeMap<>())
                .put(device.id(), device);
    }

    /** Removes a vanished device, and returns it; absent: there was none. */
    Optional<Device> remove(DeviceId id) {
        Optional<Device> known = Optional.ofNullable(byId.remove(id));
        known.ifPresent(device -> byNode.computeIfPresent(PublishedDevices.nodeOf(device), (node, devices) -> {
            devices.remove(id);
            return devices.isEmpty() ? null : devices;
        }));
        return known;
    }

    Optional<Device> device(DeviceId id) {
        return Optional.ofNullable(byId.get(id));
    }

    Collection<Device> on(String node) {
        return byNode.getOrDefault(node, Collections.emptySortedMap()).values();
    }
}
