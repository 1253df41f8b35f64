package io.numaledger.scheduling.state;

import io.numaledger.nrt.NodeTopology;

/**
 * What the state of one node consists of, apart from what is computed from it. The node's lock guards the parts.
 *
 * @param slot of the node, see {@link NodeVersions}
 */
record NodeParts(
        String name,
        int slot,
        SharedByNodes shared,
        NodeObjects objects,
        NodePods pods,
        DoubtfulRecords doubtful,
        KubeletRejections rejections,
        Reservations reservations) {

    static NodeParts of(String name, SharedByNodes shared) {
        return new NodeParts(
                name,
                shared.versions().take(),
                shared,
                new NodeObjects(shared.builder(), shared.classes(), shared.clock()),
                new NodePods(shared.clock()),
                new DoubtfulRecords(shared.clock()),
                new KubeletRejections(shared.clock()),
                new Reservations(name, shared.nominated(), shared.plannedPods()));
    }

    /** Whether pods in flight will be observed: the agent publishes the zones, or some pod was observed. */
    boolean isObserving() {
        return pods.areObserved()
                || objects.topology().filter(NodeTopology::isFromAgent).isPresent();
    }
}
