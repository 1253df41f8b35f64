package io.numaledger.kubelet.device;

import io.numaledger.topology.AffinityMask;

/**
 * One device of a device plugin.
 *
 * @param numaNodes the NUMA nodes that the plugin reports for it; none: no topology
 * @param healthy false: it is there, and cannot be used
 */
public record Device(String id, AffinityMask numaNodes, boolean healthy) {

    boolean hasTopology() {
        return !numaNodes.isEmpty();
    }
}
