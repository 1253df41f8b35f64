package io.numaledger.bridge.snapshot;

import io.numaledger.bridge.claim.DeviceObjects;
import io.numaledger.bridge.objects.NodeFacts;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.nrt.NodeTopology;

import java.util.List;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The objects of a cluster at one instant.
 *
 * @param nodes by name
 * @param topologies by node name
 */
public record ClusterObjects(
        SortedMap<String, NodeFacts> nodes,
        SortedMap<String, NodeTopology> topologies,
        List<PodFacts> pods,
        DeviceObjects devices) {

    public ClusterObjects {
        nodes = sorted(nodes);
        topologies = sorted(topologies);
        pods = List.copyOf(pods);
    }

    /** Objects of a cluster without Dynamic Resource Allocation. */
    public ClusterObjects(
            SortedMap<String, NodeFacts> nodes, SortedMap<String, NodeTopology> topologies, List<PodFacts> pods) {
        this(nodes, topologies, pods, DeviceObjects.NONE);
    }

    public ClusterObjects with(DeviceObjects others) {
        return new ClusterObjects(nodes, topologies, pods, others);
    }
}
