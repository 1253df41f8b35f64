package io.numaledger.scheduling.rehearsal;

import io.numaledger.evaluation.facts.DisruptionBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodOrigin;
import io.numaledger.evaluation.snapshot.SnapshotSettings;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.scheduling.preemption.DisruptionBudgets;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A cluster for rehearsals: nodes of two zones with 4 CPUs each, and 8 CPUs for all pods. Pods have a ReplicaSet unless a test says otherwise. */
final class TestRehearsal {

    final TestCluster cluster = new TestCluster();
    final Map<String, PodOrigin> origins = new HashMap<>();
    final List<DisruptionBudget> budgets = new ArrayList<>();

    RehearsedCluster read() {
        return new RehearsedCluster(cluster.state, origins, new DisruptionBudgets(budgets), SnapshotSettings.DEFAULT);
    }

    void nodes(String... names) {
        for (String name : names) {
            cluster.apply(ClusterYaml.node(name)
                    .replace("allocatable: {nvidia", "allocatable: {cpu: \"8\", memory: 32Gi, pods: \"110\", nvidia"));
        }
    }

    /** @param cpus which it holds, such as {@code 1-2} */
    void running(String name, String node, int count, String cpus) {
        cluster.apply(ClusterYaml.running(name, node, "cpu: \"%d\", memory: 1Gi".formatted(count), cpus));
        made(name, "ReplicaSet");
    }

    void pending(String name, int cpus) {
        cluster.apply(ClusterYaml.pod(name, "cpu: \"%d\", memory: 1Gi".formatted(cpus), "", "", ""));
        made(name, "ReplicaSet");
    }

    /** The kind of a pod's controller. */
    void made(String name, String controller) {
        origins.put(
                "default/" + name,
                new PodOrigin(Optional.of(controller), Optional.of(Instant.ofEpochSecond(origins.size()))));
    }

    /** Such as {@code a0: moves to b}. */
    static List<String> fates(List<RehearsedPod> pods) {
        return pods.stream()
                .map(pod -> "%s: %s%s"
                        .formatted(
                                name(pod.pod()),
                                pod.fate(),
                                pod.target().map(" to "::concat).orElse("")))
                .sorted()
                .toList();
    }

    private static String name(PodFacts pod) {
        return pod.name();
    }
}
