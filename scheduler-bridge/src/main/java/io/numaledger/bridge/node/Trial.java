package io.numaledger.bridge.node;

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
 * The kubelet's answer to one pod, and what would follow.
 *
 * @param after the node with the pod running
 * @param allocation what its running containers would hold; absent where it is not admitted
 */
public record Trial(Admission admission, NodeState after, Optional<PodAllocation> allocation, Placement placement) {

    /** Asks the model, from this state on. */
    public static Trial of(KubeletModel kubelet, NodeState state, PodRequest pod) {
        Decision decision = kubelet.admit(state, pod);
        if (!(decision.admission() instanceof Admitted admitted)) {
            return new Trial(decision.admission(), state, Optional.empty(), Placement.EMPTY);
        }
        PodAllocation running = Allocations.running(pod, admitted);
        NodeState after = kubelet.started(decision.state(), pod);
        return new Trial(
                admitted,
                after,
                Optional.of(running),
                new Allocations(kubelet).placement(kubelet.sweep(state), after, running));
    }
}
