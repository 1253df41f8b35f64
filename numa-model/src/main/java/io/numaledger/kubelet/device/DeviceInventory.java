package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;

import java.util.Arrays;
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
    private final long[] masks;
    private final DeviceCounts all;

    DeviceInventory(String resource, List<Device> devices) {
        AffinityMask nodes = AffinityMask.NONE;
        for (Device device : devices) {
            if (byId.put(device.id(), device) != null) {
                throw new IllegalArgumentException("duplicate device id: resource=%s id=%s; correct the device plugin"
                        .formatted(resource, device.id()));
            }
            if (device.healthy()) {
                healthy.add(device.id());
            }
            nodes = nodes.or(device.numaNodes());
        }
        this.hosts = nodes;
        this.masks = byId.values().stream()
                .mapToLong(device -> device.numaNodes().bits())
                .filter(mask -> mask != 0)
                .sorted()
                .distinct()
                .toArray();
        this.all = counts(byId.keySet());
    }

    SortedSet<String> healthy() {
        return Collections.unmodifiableSortedSet(healthy);
    }

    /** The counts of all devices, healthy or not. */
    DeviceCounts all() {
        return all;
    }

    boolean knows(String id) {
        return byId.containsKey(id);
    }

    /** The NUMA nodes of a device; none for one that the plugin no longer lists, as {@code generateDeviceTopologyHints} finds it. */
    AffinityMask numaNodesOf(String id) {
        Device device = byId.get(id);
        return device == null ? AffinityMask.NONE : device.numaNodes();
    }

    /** At least one device has a NUMA node. */
    boolean hasTopology() {
        return !hosts.isEmpty();
    }

    /** The NUMA nodes that some device of the resource is on. */
    AffinityMask hosts() {
        return hosts;
    }

    DeviceCounts counts(Collection<String> ids) {
        int[] devices = new int[masks.length];
        for (String id : ids) {
            int at = Arrays.binarySearch(masks, numaNodesOf(id).bits());
            if (at >= 0) {
                devices[at]++;
            }
        }
        return new DeviceCounts(masks, devices);
    }

    /** NUMA nodes → how many of these devices, as far as they are listed, are on exactly those; no NUMA nodes for those without topology. */
    SortedMap<Long, Integer> countsByMask(Collection<String> ids) {
        SortedMap<Long, Integer> counts = new TreeMap<>();
        ids.stream()
                .filter(this::knows)
                .forEach(id -> counts.merge(numaNodesOf(id).bits(), 1, Integer::sum));
        return counts;
    }
}
