package io.numaledger.bridge.snapshot;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;

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

    /** Asks the kubelet model, in this state of the node. */
    public static DryRun of(KubeletModel kubelet, NodeState state, PodRequest pod) {
        Decision decision = kubelet.admit(state, pod);
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
