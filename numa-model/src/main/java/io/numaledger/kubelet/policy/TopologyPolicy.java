package io.numaledger.kubelet.policy;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.hint.HintMerger;
import io.numaledger.kubelet.hint.HintRuleMerger;
import io.numaledger.kubelet.hint.MaskOrder;
import io.numaledger.kubelet.hint.NumaDistances;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.MachineTopology;

import java.util.List;

/** One policy of the Topology Manager. */
public sealed interface TopologyPolicy permits NonePolicy, BestEffortPolicy, RestrictedPolicy, SingleNumaNodePolicy {

    /** The merged hint, and whether it is good enough. */
    record Verdict(TopologyHint hint, boolean admits) {}

    /** False when the policy does not even ask for hints. */
    default boolean asksForHints() {
        return true;
    }

    Verdict decide(List<ProviderHints> providers);

    /** The policy that the rules name, for the NUMA nodes of this machine. */
    static TopologyPolicy of(KubeletRules rules, MachineTopology machine, AffinityMask numaNodes) {
        MaskOrder order =
                rules.prefersClosestNumaNodes() ? MaskOrder.closest(new NumaDistances(machine)) : MaskOrder.narrowest();
        return switch (rules.topologyPolicy()) {
            case NONE -> new NonePolicy();
            case BEST_EFFORT -> new BestEffortPolicy(merger(rules, numaNodes, order));
            case RESTRICTED -> new RestrictedPolicy(merger(rules, numaNodes, order));
            case SINGLE_NUMA_NODE ->
                new SingleNumaNodePolicy(merger(rules, numaNodes, MaskOrder.narrowest()), numaNodes);
        };
    }

    private static HintMerger merger(KubeletRules rules, AffinityMask numaNodes, MaskOrder order) {
        return rules.listsMasks()
                ? new HintMerger(numaNodes, order)
                : new HintMerger(new HintRuleMerger(numaNodes, order));
    }
}
