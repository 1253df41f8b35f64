package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PossibleDecisions;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;

import java.util.List;
import java.util.Optional;

/**
 * The kubelet's decision on one pod, and what would follow from it.
 *
 * @param placed absent where the pod is not admitted
 */
public record DryRun(Admission admission, Optional<Placed> placed) {

    /**
     * What follows from an admission.
     *
     * @param after the node's state with the pod running
     * @param placement what the pod's running containers hold, as amounts by NUMA node
     */
    public record Placed(Admitted admitted, NodeState after, PredictedAllocation allocation, Placement placement) {}

    /**
     * What the kubelet may do, where it draws devices at random.
     *
     * @param all at least one, the likeliest first
     * @param complete it does nothing else
     */
    public record Possible(List<DryRun> all, boolean complete) {

        public Possible {
            all = List.copyOf(all);
        }

        /** The likeliest. */
        public DryRun first() {
            return all.get(0);
        }
    }

    /** Asks the kubelet model, in this state of the node. */
    public static Possible of(KubeletModel kubelet, NodeState state, PodRequest pod) {
        PossibleDecisions possible = kubelet.possibleDecisions(state, pod);
        return new Possible(
                possible.decisions().stream()
                        .map(decision -> of(kubelet, state, pod, decision))
                        .toList(),
                possible.complete());
    }

    private static DryRun of(KubeletModel kubelet, NodeState state, PodRequest pod, Decision decision) {
        if (!(decision.admission() instanceof Admitted admitted)) {
            return new DryRun(decision.admission(), Optional.empty());
        }
        PodAllocation running = kubelet.listed(pod, admitted);
        NodeState after = kubelet.started(decision.state(), pod);
        Placement placement = new Allocations(kubelet).placement(kubelet.removeStaleState(state), after, running);
        PredictedAllocation allocation =
                new PredictedAllocation(running, Optional.of(InitContainerAllocations.kept(pod, admitted)));
        return new DryRun(admitted, Optional.of(new Placed(admitted, after, allocation, placement)));
    }
}
