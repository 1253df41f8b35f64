package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;

import java.util.List;

/** Asks nobody and admits everything (cm/topologymanager/policy_none.go). */
public record NonePolicy() implements TopologyPolicy {

    @Override
    public boolean asksForHints() {
        return false;
    }

    @Override
    public Verdict decide(List<ProviderHints> providers) {
        return new Verdict(TopologyHint.NONE, true);
    }
}
