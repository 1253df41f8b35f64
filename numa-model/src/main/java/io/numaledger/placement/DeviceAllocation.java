package io.numaledger.placement;

import io.numaledger.topology.Sorted;

import java.util.Collection;
import java.util.Comparator;
import java.util.SortedSet;

/**
 * One device of a device plugin, as the kubelet names it.
 *
 * @param resource such as {@code nvidia.com/gpu}
 * @param deviceId the plugin's id of the device
 * @param numaNodes the NUMA nodes that the plugin reported for it; empty: no topology known
 */
public record DeviceAllocation(String resource, String deviceId, SortedSet<Integer> numaNodes)
        implements Comparable<DeviceAllocation> {

    private static final Comparator<DeviceAllocation> ORDER =
            Comparator.comparing(DeviceAllocation::resource).thenComparing(DeviceAllocation::deviceId);

    public DeviceAllocation {
        numaNodes = Sorted.sortedSet(numaNodes);
    }

    public DeviceAllocation(String resource, String deviceId, Collection<Integer> numaNodes) {
        this(resource, deviceId, Sorted.sortedSet(numaNodes));
    }

    @Override
    public int compareTo(DeviceAllocation other) {
        return ORDER.compare(this, other);
    }
}
