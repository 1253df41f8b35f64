package io.numaledger.scheduling.state;

import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.snapshot.ClusterObjects;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.fastpath.ResourceIndex;

import java.time.Instant;
import java.time.InstantSource;
import java.util.concurrent.atomic.AtomicBoolean;

/** The state of a cluster whose objects were read once: nothing changes any more. */
public final class StaticCluster {

    private StaticCluster() {}

    /** The agents are taken to have published what follows from the Nodes. */
    public static ClusterState of(ClusterObjects objects, SnapshotSettings settings, InstantSource clock) {
        AtomicBoolean loaded = new AtomicBoolean();
        ClusterState cluster = new ClusterState(
                settings,
                new NodeClasses(new ResourceIndex()),
                (pod, reservation) -> {},
                () -> loaded.get() ? clock.instant() : clock.instant().minus(DeviceChange.NEXT_LOOK));
        objects.nodes().values().forEach(cluster::nodeChanged);
        Instant now = clock.instant();
        objects.topologies().values().forEach(topology -> cluster.topologyChanged(topology, now));
        objects.devices().classes().forEach(cluster.claims()::classChanged);
        objects.devices().slices().forEach(cluster.claims()::sliceChanged);
        objects.devices().claims().forEach(cluster.claims()::claimChanged);
        objects.pods().forEach(cluster::podChanged);
        loaded.set(true);
        return cluster;
    }
}
