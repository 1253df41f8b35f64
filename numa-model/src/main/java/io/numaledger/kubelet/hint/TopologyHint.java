package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.Optional;

/**
 * One offer of NUMA nodes (cm/topologymanager/topology_manager.go, TopologyHint).
 *
 * @param mask the NUMA nodes; absent: no opinion
 * @param preferred as narrow as the request could be if the machine were empty
 */
public record TopologyHint(Optional<AffinityMask> mask, boolean preferred) {

    /** No opinion, and content with anything. */
    public static final TopologyHint ANY = new TopologyHint(Optional.empty(), true);

    /** No opinion, and content with nothing. */
    public static final TopologyHint NONE = new TopologyHint(Optional.empty(), false);

    public TopologyHint {
        if (mask.isPresent() && mask.get().isEmpty()) {
            throw new IllegalArgumentException("a hint names NUMA nodes or none at all: mask={}; leave the mask out");
        }
    }

    public static TopologyHint of(AffinityMask mask, boolean preferred) {
        return new TopologyHint(Optional.of(mask), preferred);
    }

    /** Preferred, and of one NUMA node or without opinion: what single-numa-node uses. */
    boolean isOfSingleNumaNode() {
        return preferred && mask.map(numaNodes -> numaNodes.count() == 1).orElse(true);
    }

    /** Such as {@code {0,1} preferred} or {@code any}. */
    @Override
    public String toString() {
        return mask.map(AffinityMask::toString).orElse("any") + (preferred ? " preferred" : "");
    }
}
