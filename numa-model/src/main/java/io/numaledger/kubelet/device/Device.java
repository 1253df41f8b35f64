package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;

import java.util.Collection;

/**
 * One device of a device plugin.
 *
 * @param numaNodes the NUMA nodes that the plugin reports for it; none: no topology
 * @param healthy false: it is there, and cannot be used
 */
public record Device(String id, AffinityMask numaNodes, boolean healthy) {

    /**
     * The mask of the NUMA nodes that a device plugin reports. No mask holds negative ids and those above {@link AffinityMask#MAX_ID}:
     * they become the highest id that the machine does not have. To the kubelet, devices on all NUMA nodes that do not exist are alike.
     *
     * @param machine the ids of the machine's NUMA nodes
     */
    public static AffinityMask numaNodes(Collection<Integer> reported, Collection<Integer> machine) {
        int absent = AffinityMask.MAX_ID;
        while (machine.contains(absent)) {
            absent--;
        }
        int highest = absent;
        return AffinityMask.of(reported.stream()
                .mapToInt(id -> id < 0 || id > AffinityMask.MAX_ID ? highest : id)
                .toArray());
    }

    boolean hasTopology() {
        return !numaNodes.isEmpty();
    }
}
