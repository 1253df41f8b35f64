package io.numaledger.evaluation.fit;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.pod.PodRequest;

/**
 * A node without names of pods, after copies of one pod.
 *
 * @param copies how many its kubelet has admitted
 */
public record FilledNode(KubeletModel kubelet, NodeState state, int copies) {

    /** What the kubelet would say to one more pod. */
    public Admission admission(PodRequest pod) {
        return kubelet.admit(state, pod).admission();
    }
}
