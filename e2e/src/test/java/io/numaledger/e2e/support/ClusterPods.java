package io.numaledger.e2e.support;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The pods in the namespace default of one cluster, and what the journal says of them. */
public final class ClusterPods {

    public static final Duration TIMEOUT = Duration.ofMinutes(3);

    private final SimCluster cluster;

    public ClusterPods(SimCluster cluster) {
        this.cluster = cluster;
    }

    public void create(SimplePod pod) {
        cluster.client().resource(pod.build()).create();
    }

    public void delete(String name) {
        cluster.client().pods().inNamespace("default").withName(name).delete();
    }

    public Pod get(String name) {
        return cluster.client().pods().inNamespace("default").withName(name).get();
    }

    public List<Pod> all() {
        return cluster.client().pods().inNamespace("default").list().getItems();
    }

    /** The same by name. */
    public SortedMap<String, Pod> byName() {
        SortedMap<String, Pod> pods = new TreeMap<>();
        all().forEach(pod -> pods.put(pod.getMetadata().getName(), pod));
        return pods;
    }

    public boolean isRunning(String name) {
        return get(name).getStatus().getPhase().equals("Running");
    }

    /** A PriorityClass with this name and value, whose pods may preempt others. */
    public void definePriority(String name, int value) {
        cluster.client()
                .resource(new PriorityClassBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withValue(value)
                        .build())
                .create();
    }

    public void deleteAll() {
        cluster.client().pods().inNamespace("default").delete();
        await("all pods are gone").atMost(TIMEOUT).until(() -> all().isEmpty());
    }

    public void awaitPhase(String name, String phase) {
        await("pod %s is %s".formatted(name, phase))
                .atMost(TIMEOUT)
                .until(() -> find(name)
                        .filter(entry -> entry.verdict().phase().equals(phase))
                        .isPresent());
    }

    /** Until the agent has recorded what the pod has. */
    public void awaitRecord(String name) {
        await("the placement of pod %s is recorded".formatted(name))
                .atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(get(name).getMetadata().getAnnotations())
                        .as(() -> String.valueOf(get(name).getStatus()))
                        .containsKey(Annotations.PLACEMENT));
    }

    /** Until each pod runs, has ended, was refused by its kubelet, or found no node. */
    public void awaitAllDecided() {
        await("each pod has its verdict")
                .atMost(TIMEOUT.multipliedBy(2))
                .until(() -> all().stream().allMatch(ClusterPods::isDecided));
    }

    private static boolean isDecided(Pod pod) {
        return !pod.getStatus().getPhase().equals("Pending")
                || pod.getStatus().getConditions().stream()
                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }

    public JournalEntry entry(String name) {
        return find(name).orElseThrow();
    }

    private Optional<JournalEntry> find(String name) {
        return journal().stream().filter(entry -> entry.name().equals(name)).findFirst();
    }

    /** Of the pods that are there now. */
    public List<JournalEntry> journal() {
        return cluster.journal().entries().stream()
                .filter(entry -> !entry.deleted() && entry.namespace().equals("default"))
                .toList();
    }
}
