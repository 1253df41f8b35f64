package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;

import java.util.List;

/** Uses no hints and admits every pod (cm/topologymanager/policy_none.go). */
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
