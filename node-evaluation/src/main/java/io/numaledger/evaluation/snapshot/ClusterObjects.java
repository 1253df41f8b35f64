package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.claim.DeviceObjects;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.nrt.NodeTopology;

import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The objects of a cluster at one instant.
 *
 * @param nodes by name
 * @param topologies by node name
 * @param budgets disruption budgets, if they were read
 */
public record ClusterObjects(
        SortedMap<String, NodeFacts> nodes,
        SortedMap<String, NodeTopology> topologies,
        List<PodFacts> pods,
        DeviceObjects devices,
        List<DisruptionBudget> budgets) {

    public ClusterObjects {
        nodes = sorted(nodes);
        topologies = sorted(topologies);
        pods = List.copyOf(pods);
        budgets = List.copyOf(budgets);
    }

    /** Objects without disruption budgets. */
    public ClusterObjects(
            SortedMap<String, NodeFacts> nodes,
            SortedMap<String, NodeTopology> topologies,
            List<PodFacts> pods,
            DeviceObjects devices) {
        this(nodes, topologies, pods, devices, List.of());
    }

    /** Objects of a cluster without Dynamic Resource Allocation. */
    public ClusterObjects(
            SortedMap<String, NodeFacts> nodes, SortedMap<String, NodeTopology> topologies, List<PodFacts> pods) {
        this(nodes, topologies, pods, DeviceObjects.NONE);
    }

    public ClusterObjects with(DeviceObjects others) {
        return new ClusterObjects(nodes, topologies, pods, others, budgets);
    }
}
