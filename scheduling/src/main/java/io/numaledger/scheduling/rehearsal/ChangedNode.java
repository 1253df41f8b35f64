package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.kubelet.KubeletRestart.StateFile;
import io.numaledger.scheduling.state.NodeUse;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;

import static io.numaledger.topology.Sorted.sortedSet;

/**
 * One node whose kubelet is changed.
 *
 * @param before what was used of it before
 * @param after what is used of it when its new kubelet has looked at its pods; absent: it does not start, or nothing is known of its zones
 * @param objection why the new kubelet does not start, in its own words; empty: it does
 * @param delete the state files without which it starts; what follows is rehearsed without them. None together with an objection: it
 *     starts over no state
 * @param pods all of its pods
 * @param assumed what is assumed of the node from then on and was not before
 */
public record ChangedNode(
        NodeUse before,
        Optional<NodeUse> after,
        String objection,
        Set<StateFile> delete,
        List<RehearsedPod> pods,
        SortedSet<Assumption> assumed) {

    public ChangedNode {
        delete = Set.copyOf(delete);
        pods = List.copyOf(pods);
        assumed = sortedSet(assumed);
    }

    public String name() {
        return before.node().name();
    }

    /** Whether its kubelet starts as it is told to, over its state or without it. */
    public boolean starts() {
        return after.isPresent();
    }
}
