package io.numaledger.benchmarks.claims;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.oracle.ClaimAlignment;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import static org.awaitility.Awaitility.await;

/** Creates pods on a cluster, one after the other, and looks where their CPUs and devices are when nothing changes any more. */
final class ClaimsRun {

    private static final Duration TIMEOUT = Duration.ofMinutes(5);
    private static final Duration POLL = Duration.ofMillis(500);

    /** Longer than kube-scheduler's back-off. */
    private static final Duration QUIET = Duration.ofSeconds(12);

    private final SimCluster cluster;

    ClaimsRun(SimCluster cluster) {
        this.cluster = cluster;
    }

    ClaimsReport run(List<Pod> pods) {
        pods.forEach(pod -> cluster.client().resource(pod).create());
        await("each pod runs, was refused, or fits on no node")
                .atMost(TIMEOUT)
                .pollInterval(POLL)
                .during(QUIET)
                .until(() -> phases().values().stream().mapToInt(List::size).sum() == pods.size()
                        && phases().getOrDefault("Pending", List.of()).stream().allMatch(ClaimsRun::isUnschedulable));
        return report();
    }

    private Map<String, List<Pod>> phases() {
        return cluster.client().pods().inNamespace("default").list().getItems().stream()
                .collect(Collectors.groupingBy(pod -> pod.getStatus().getPhase()));
    }

    private static boolean isUnschedulable(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }

    private ClaimsReport report() {
        Map<String, List<Pod>> phases = phases();
        int running = phases.getOrDefault("Running", List.of()).size();
        int aligned = (int) cluster.nodes().stream()
                .flatMap(ClaimAlignment::containers)
                .filter(Boolean::booleanValue)
                .count();
        return new ClaimsReport(
                aligned,
                running - aligned,
                phases.getOrDefault("Failed", List.of()).size(),
                phases.getOrDefault("Pending", List.of()).size());
    }
}
