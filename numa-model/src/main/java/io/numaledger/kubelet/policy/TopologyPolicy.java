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
        HintMerger narrowest = merger(rules, numaNodes, MaskOrder.narrowest(), false);
        HintMerger merger = rules.prefersClosestNumaNodes() ? closest(rules, machine, numaNodes) : narrowest;
        return switch (rules.topologyPolicy()) {
            case NONE -> new NonePolicy();
            case BEST_EFFORT -> new BestEffortPolicy(merger);
            case RESTRICTED -> new RestrictedPolicy(merger);
            case SINGLE_NUMA_NODE -> new SingleNumaNodePolicy(narrowest, numaNodes);
        };
    }

    private static HintMerger closest(KubeletRules rules, MachineTopology machine, AffinityMask numaNodes) {
        NumaDistances distances = new NumaDistances(machine);
        return merger(rules, numaNodes, MaskOrder.closest(distances), !distances.reachEveryNode());
    }

    private static HintMerger merger(KubeletRules rules, AffinityMask numaNodes, MaskOrder order, boolean orderPanics) {
        return rules.listsMasks()
                ? new HintMerger(numaNodes, order, orderPanics)
                : new HintMerger(new HintRuleMerger(numaNodes, order));
    }
}
