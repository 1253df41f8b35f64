package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.claim.DeviceObjects;
import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodOrigin;
import io.numaledger.nrt.NodeTopology;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The objects of a cluster at one instant.
 *
 * @param nodes by name
 * @param topologies by node name
 * @param budgets disruption budgets, if they were read
 * @param origins of the pods, by key
 */
public record ClusterObjects(
        SortedMap<String, NodeFacts> nodes,
        SortedMap<String, NodeTopology> topologies,
        List<PodFacts> pods,
        DeviceObjects devices,
        List<DisruptionBudget> budgets,
        Map<String, PodOrigin> origins) {

    public ClusterObjects {
        nodes = sorted(nodes);
        topologies = sorted(topologies);
        pods = List.copyOf(pods);
        budgets = List.copyOf(budgets);
        origins = Map.copyOf(origins);
    }

    /** Objects without disruption budgets, and without the origins of pods. */
    public ClusterObjects(
            SortedMap<String, NodeFacts> nodes,
            SortedMap<String, NodeTopology> topologies,
            List<PodFacts> pods,
            DeviceObjects devices) {
        this(nodes, topologies, pods, devices, List.of(), Map.of());
    }

    /** Objects of a cluster without Dynamic Resource Allocation. */
    public ClusterObjects(
            SortedMap<String, NodeFacts> nodes, SortedMap<String, NodeTopology> topologies, List<PodFacts> pods) {
        this(nodes, topologies, pods, DeviceObjects.NONE);
    }

    public ClusterObjects with(DeviceObjects others) {
        return new ClusterObjects(nodes, topologies, pods, others, budgets, origins);
    }
}
