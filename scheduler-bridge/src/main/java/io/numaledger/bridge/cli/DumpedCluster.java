package io.numaledger.bridge.cli;

import io.numaledger.bridge.evaluation.NodeClasses;
import io.numaledger.bridge.objects.ClusterObjects;
import io.numaledger.bridge.snapshot.SnapshotSettings;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.fastpath.ResourceIndex;

import java.time.Instant;
import java.time.InstantSource;

/** The state of a cluster at the time of a dump. */
final class DumpedCluster {

    private DumpedCluster() {}

    static ClusterState of(ClusterObjects objects, SnapshotSettings settings) {
        ClusterState cluster = new ClusterState(
                settings, new NodeClasses(new ResourceIndex()), (pod, reservation) -> {}, InstantSource.system());
        objects.nodes().values().forEach(cluster::nodeChanged);
        Instant now = Instant.now();
        objects.topologies().values().forEach(topology -> cluster.topologyChanged(topology, now));
        objects.pods().forEach(cluster::podChanged);
        return cluster;
    }
}
