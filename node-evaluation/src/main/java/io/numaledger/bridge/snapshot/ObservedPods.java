package io.numaledger.bridge.snapshot;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.nrt.NodeTopology;

import java.util.List;
import java.util.Optional;

/**
 * What the observed pods of a node hold, kept from one snapshot to the next. Most events add a pod after all others: then only this
 * one has to be added.
 */
final class ObservedPods {

    private List<PodFacts> pods = List.of();
    private Optional<AllocationReconstruction> held = Optional.empty();

    /**
     * A reconstruction with the first of these pods, as many as were kept; absent if others were kept.
     *
     * @param observed in the order in which they are added
     */
    Optional<AllocationReconstruction> first(List<PodFacts> observed, KubeletModel kubelet, NodeTopology topology) {
        return held.filter(kept -> kept.isFor(kubelet, topology) && begins(observed))
                .map(kept -> kept.copy(topology));
    }

    /** The same objects, because comparing pods takes longer than adding them. */
    @SuppressWarnings("ReferenceEquality")
    private boolean begins(List<PodFacts> observed) {
        if (pods.size() > observed.size()) {
            return false;
        }
        for (int i = 0; i < pods.size(); i++) {
            if (pods.get(i) != observed.get(i)) {
                return false;
            }
        }
        return true;
    }

    /** @param with a reconstruction with exactly these pods; it is not changed */
    void keep(List<PodFacts> observed, AllocationReconstruction with, NodeTopology topology) {
        pods = observed;
        held = Optional.of(with.copy(topology));
    }

    /** How many pods are kept. */
    int size() {
        return pods.size();
    }
}
