package io.numaledger.bridge.verdict;

import io.numaledger.bridge.verdict.Verdict.Code;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.Optional;

/**
 * A verdict less everything that is not the same on all nodes of one signature.
 *
 * @param code absent: it fits
 * @param sentence why not, without holders
 * @param never it does not fit the empty node either
 * @param after the node with the pod; absent where it does not fit, or nothing is known
 */
public record Outcome(
        Optional<Code> code,
        String sentence,
        boolean never,
        AffinityMask mask,
        Placement placement,
        Optional<KubeletModel> kubelet,
        Optional<NodeState> before,
        Optional<NodeState> after) {

    public boolean fits() {
        return code.isEmpty();
    }
}
