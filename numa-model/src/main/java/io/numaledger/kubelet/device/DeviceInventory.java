package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;

import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/** All devices of one resource on a machine, healthy or not. */
final class DeviceInventory {

    private final SortedMap<String, Device> byId = new TreeMap<>();
    private final SortedSet<String> healthy = new TreeSet<>();
    private final AffinityMask hosts;

    DeviceInventory(String resource, List<Device> devices) {
        AffinityMask nodes = AffinityMask.NONE;
        for (Device device : devices) {
            if (byId.put(device.id(), device) != null) {
                throw new IllegalArgumentException(
                        "a device id stands once in a resource: resource=%s id=%s; ask the device plugin"
                                .formatted(resource, device.id()));
            }
            if (device.healthy()) {
                healthy.add(device.id());
            }
            nodes = nodes.or(device.numaNodes());
        }
        this.hosts = nodes;
    }

    SortedSet<String> healthy() {
        return Collections.unmodifiableSortedSet(healthy);
    }

    SortedSet<String> all() {
        return Collections.unmodifiableSortedSet(new TreeSet<>(byId.keySet()));
    }

    boolean knows(String id) {
        return byId.containsKey(id);
    }

    AffinityMask numaNodesOf(String id) {
        return byId.get(id).numaNodes();
    }

    /** At least one device has a NUMA node. */
    boolean hasTopology() {
        return !hosts.isEmpty();
    }

    /** The NUMA nodes that some device of the resource is on. */
    AffinityMask hosts() {
        return hosts;
    }

    /** How many of these devices have a NUMA node in the mask. */
    int touching(Collection<String> ids, AffinityMask mask) {
        return (int)
                ids.stream().filter(id -> !numaNodesOf(id).and(mask).isEmpty()).count();
    }

    /** NUMA nodes → how many of these devices are on exactly those; no NUMA nodes for those without topology. */
    SortedMap<Long, Integer> countsByMask(Collection<String> ids) {
        SortedMap<Long, Integer> counts = new TreeMap<>();
        ids.forEach(id -> counts.merge(numaNodesOf(id).bits(), 1, Integer::sum));
        return counts;
    }
}
