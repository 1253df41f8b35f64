package io.numaledger.ledger;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One node: its kubelet, what that remembers, and who holds what of the zones.
 *
 * @param state without pods that are gone: they are swept here
 * @param holdings pod → what it holds; a pod can be here with nothing in hand. Pods are named as in the state
 */
public record NodeAccount(KubeletModel kubelet, NodeState state, SortedMap<String, Placement> holdings) {

    public NodeAccount {
        state = kubelet.sweep(state);
        holdings = Sorted.sorted(holdings);
    }

    /** A node that nobody is on. */
    public static NodeAccount of(KubeletModel kubelet) {
        return new NodeAccount(kubelet, kubelet.empty(), Collections.emptySortedMap());
    }

    public Optional<Placement> holding(String pod) {
        return Optional.ofNullable(holdings.get(pod));
    }

    /**
     * With one more pod that is known to be here.
     *
     * @throws IllegalArgumentException naming what does not exist on this machine or is held by another
     */
    NodeAccount with(PodAllocation pod) {
        return with(pod.key(), kubelet.holding(state, pod));
    }

    /** With one more pod as its kubelet would place it; unchanged if that would not admit it. */
    Admitted admit(PodRequest pod) {
        Decision decision = kubelet.admit(state, pod);
        return new Admitted(
                decision.admission(),
                decision.admission().isAdmitted() ? with(pod.name(), kubelet.started(decision.state(), pod)) : this);
    }

    /** The kubelet's answer to a pod, and the node after it. */
    record Admitted(Admission admission, NodeAccount after) {}

    NodeAccount without(String pod) {
        SortedMap<String, Placement> fewer = new TreeMap<>(holdings);
        fewer.remove(pod);
        return new NodeAccount(kubelet, kubelet.remove(state, pod), fewer);
    }

    private NodeAccount with(String pod, NodeState after) {
        SortedMap<String, Placement> more = new TreeMap<>(holdings);
        more.put(pod, TakenZones.between(kubelet.machine(), state, after));
        return new NodeAccount(kubelet, after, more);
    }
}
