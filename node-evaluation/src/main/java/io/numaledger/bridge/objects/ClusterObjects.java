package io.numaledger.bridge.objects;

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
        SortedMap<String, NodeFacts> nodes, SortedMap<String, NodeTopology> topologies, List<PodFacts> pods) {

    public ClusterObjects {
        nodes = sorted(nodes);
        topologies = sorted(topologies);
        pods = List.copyOf(pods);
    }
}
