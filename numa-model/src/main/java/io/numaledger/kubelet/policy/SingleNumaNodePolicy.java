package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.hint.HintMerger;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Optional;

/**
 * Admits only what fits one NUMA node, or has no opinion at all (cm/topologymanager/policy_single_numa_node.go). A merged
 * hint of all NUMA nodes expresses no preference and becomes no affinity, also on a machine of one node.
 */
public record SingleNumaNodePolicy(HintMerger merger, AffinityMask numaNodes) implements TopologyPolicy {

    @Override
    public Verdict decide(List<ProviderHints> providers) {
        TopologyHint best = merger.mergeSingleNumaNodes(providers);
        if (best.mask().filter(numaNodes::equals).isPresent()) {
            best = new TopologyHint(Optional.empty(), best.preferred());
        }
        return new Verdict(best, best.preferred());
    }
}
