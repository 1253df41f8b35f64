package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

import static org.awaitility.Awaitility.await;

/** The pods in the namespace default of one cluster, and what the journal says of them. */
final class ClusterPods {

    static final Duration PATIENCE = Duration.ofSeconds(30);

    private final SimCluster cluster;

    ClusterPods(SimCluster cluster) {
        this.cluster = cluster;
    }

    void create(TestPod pod) {
        cluster.client().resource(pod.build()).create();
    }

    void delete(String name) {
        cluster.client().pods().inNamespace("default").withName(name).delete();
    }

    Pod get(String name) {
        return cluster.client().pods().inNamespace("default").withName(name).get();
    }

    List<Pod> all() {
        return cluster.client().pods().inNamespace("default").list().getItems();
    }

    void deleteAll() {
        cluster.client().pods().inNamespace("default").delete();
        await("all pods are gone").atMost(PATIENCE).until(() -> all().isEmpty());
    }

    void awaitPhase(String name, String phase) {
        await("pod %s is %s".formatted(name, phase))
                .atMost(PATIENCE)
                .until(() -> find(name)
                        .filter(entry -> entry.verdict().phase().equals(phase))
                        .isPresent());
    }

    /** Until each pod runs, has ended, was refused by its kubelet, or found no node. */
    void awaitAllDecided() {
        await("each pod has its verdict")
                .atMost(PATIENCE.multipliedBy(2))
                .until(() -> all().stream().allMatch(ClusterPods::isDecided));
    }

    private static boolean isDecided(Pod pod) {
        return !pod.getStatus().getPhase().equals("Pending")
                || pod.getStatus().getConditions().stream()
                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }

    JournalEntry entry(String name) {
        return find(name).orElseThrow();
    }

    private Optional<JournalEntry> find(String name) {
        return journal().stream().filter(entry -> entry.name().equals(name)).findFirst();
    }

    /** Of the pods that are there now. */
    List<JournalEntry> journal() {
        return cluster.journal().entries().stream()
                .filter(entry -> !entry.deleted() && entry.namespace().equals("default"))
                .toList();
    }
}
