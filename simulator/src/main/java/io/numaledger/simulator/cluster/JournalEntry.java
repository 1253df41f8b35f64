package io.numaledger.simulator.cluster;

import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.PodAllocation;

import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * One pod instance: what it asked, what became of it, and where it sits.
 *
 * @param node where it was bound to
 * @param asked container (init containers too) → resource → quantity; the request, or the limit where there is no request
 * @param held container → what the kubelet's state files say that it holds, when last seen; empty: nothing of its own
 * @param reported what the kubelet's podresources say of it now; absent when they do not list it
 * @param deleted it is gone from the API server
 */
public record JournalEntry(
        String namespace,
        String name,
        String uid,
        Optional<String> node,
        SortedMap<String, SortedMap<String, String>> asked,
        Verdict verdict,
        SortedMap<String, ContainerAllocation> held,
        Optional<PodAllocation> reported,
        boolean deleted) {

    public JournalEntry {
        asked = sorted(asked);
        held = sorted(held);
    }

    /**
     * The pod's status, in Kubernetes' own words; reason and message are empty where nobody gave any.
     *
     * @param phase Pending, Running, Succeeded or Failed
     * @param reason such as {@code TopologyAffinityError}
     */
    public record Verdict(String phase, String reason, String message) {}

    /** {@code namespace/name}. */
    public String key() {
        return namespace + "/" + name;
    }

    JournalEntry withHeld(SortedMap<String, ContainerAllocation> now) {
        return new JournalEntry(namespace, name, uid, node, asked, verdict, now, reported, deleted);
    }

    JournalEntry withReported(Optional<PodAllocation> now) {
        return new JournalEntry(namespace, name, uid, node, asked, verdict, held, now, deleted);
    }

    JournalEntry asDeleted() {
        return new JournalEntry(namespace, name, uid, node, asked, verdict, held, Optional.empty(), true);
    }
}
