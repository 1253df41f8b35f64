package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.StartupChecks;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.nrt.NodeTopology;

/** A node with another kubelet, as the Node and its NodeResourceTopology would show it. */
record ReconfiguredNode(NodeFacts node, NodeTopology topology, NodeModel model) {

    /**
     * The node after a change.
     *
     * @param before has a kubelet model
     * @throws StartupRefusedException with the kubelet's message, when it would not start over any state
     * @throws IllegalArgumentException if the change cannot be rehearsed on this node
     */
    static ReconfiguredNode of(
            NodeSnapshot before, KubeletChange change, SnapshotSettings settings, NodeClasses classes) {
        KubeletModel running = before.model().kubelet().orElseThrow();
        change.reservedCpus()
                .flatMap(reserved -> StartupChecks.offlineReservation(
                        reserved, running.machine().topology().onlineCpus()))
                .ifPresent(refusal -> {
                    throw new StartupRefusedException(refusal);
                });
        NodeTopology published = before.topology().orElseThrow();
        NodeTopology topology = change.over(published);
        NodeFacts node = change.over(before.node(), published, topology);
        return new ReconfiguredNode(
                node,
                topology,
                classes.shared(NodeModel.changed(
                        node, topology, settings, before.model().leftOut())));
    }

    /** The model of its kubelet; there is one unless the machine is not modelled. */
    KubeletModel kubelet() {
        return model.kubelet().orElseThrow();
    }
}
