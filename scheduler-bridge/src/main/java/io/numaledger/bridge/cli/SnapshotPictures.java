package io.numaledger.bridge.cli;

import io.numaledger.bridge.cluster.ClusterObjects;
import io.numaledger.bridge.ledger.Ledger;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureSettings;

import java.util.List;

/** The pictures of all nodes of a dump, without a cluster. */
final class SnapshotPictures {

    private SnapshotPictures() {}

    static List<NodePicture> of(ClusterObjects objects, PictureSettings settings) {
        Ledger ledger = new Ledger(settings, (pod, reservation) -> {});
        objects.nodes().values().forEach(ledger::nodeSeen);
        objects.topologies().values().forEach(ledger::topologySeen);
        objects.pods().forEach(ledger::podSeen);
        return ledger.pictures();
    }
}
