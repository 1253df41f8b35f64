package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.hint.HintMerger;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;

import java.util.List;

/** Admits only a preferred hint, however wide (cm/topologymanager/policy_restricted.go). */
public record RestrictedPolicy(HintMerger merger) implements TopologyPolicy {

    @Override
    public Verdict decide(List<ProviderHints> providers) {
        TopologyHint best = merger.mergeAll(providers);
        return new Verdict(best, best.preferred());
    }
}
