package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.hint.HintMerger;
import io.numaledger.kubelet.hint.ProviderHints;

import java.util.List;

/** Takes the best hint there is and admits everything (cm/topologymanager/policy_best_effort.go). */
public record BestEffortPolicy(HintMerger merger) implements TopologyPolicy {

    @Override
    public Verdict decide(List<ProviderHints> providers) {
        return new Verdict(merger.mergeAll(providers), true);
    }
}
