package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.simulator.deployment.BridgedCluster;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What is known of the pods of a cluster, for the log of a test that fails: their status and events, and what the bridge thinks. */
record KnownPods(BridgedCluster cluster) {

    /** A line for each thing. */
    String text() {
        List<String> lines = new ArrayList<>();
        for (Node node : cluster.cluster().client().nodes().list().getItems()) {
            lines.add("node %s annotations=%s"
                    .formatted(node.getMetadata().getName(), node.getMetadata().getAnnotations()));
        }
        for (NodeSnapshot snapshot : cluster.bridge().cluster().snapshots()) {
            lines.add("snapshot of " + snapshot.name() + " pods=" + snapshot.pods());
        }
        cluster.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .list()
                .getItems()
                .forEach(pod -> addPod(pod, lines));
        for (Event event : cluster.cluster()
                .client()
                .v1()
                .events()
                .inNamespace("default")
                .list()
                .getItems()) {
            lines.add("event %s %s %s: %s"
                    .formatted(
                            event.getLastTimestamp(),
                            event.getInvolvedObject().getName(),
                            event.getReason(),
                            event.getMessage()));
        }
        lines.add(cluster.figures());
        return String.join("\n", lines);
    }

    private void addPod(Pod pod, List<String> lines) {
        String name = pod.getMetadata().getName();
        lines.add("pod %s node=%s deleted=%s annotations=%s status=%s"
                .formatted(
                        name,
                        pod.getSpec().getNodeName(),
                        pod.getMetadata().getDeletionTimestamp(),
                        pod.getMetadata().getAnnotations(),
                        pod.getStatus()));
        Optional<PodFacts> shown = cluster.bridge().cluster().pods().get("default/" + name);
        lines.add("the bridge knows %s as %s".formatted(name, shown));
        shown.filter(facts -> facts.node().isEmpty())
                .ifPresent(facts -> cluster.bridge()
                        .cluster()
                        .snapshots()
                        .forEach(node -> lines.add(
                                "%s on %s: %s".formatted(name, node.name(), FullModel.evaluate(node, facts)))));
    }
}
