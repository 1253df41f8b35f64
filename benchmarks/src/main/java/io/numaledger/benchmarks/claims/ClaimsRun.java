package io.numaledger.benchmarks.claims;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.oracle.ClaimAlignment;

import java.time.Duration;
import java.util.List;

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

    /**
     * What became of the pods.
     *
     * @param aligned run with their CPUs and their device on one NUMA node
     * @param misaligned run otherwise
     * @param refused by their kubelet
     * @param waiting for a node, or for their device
     */
    static String figures(int aligned, int misaligned, int refused, int waiting) {
        return "aligned=%d misaligned=%d refused=%d waiting=%d".formatted(aligned, misaligned, refused, waiting);
    }

    String run(List<Pod> pods) {
        pods.forEach(pod -> cluster.client().resource(pod).create());
        await("each pod runs, was refused, or fits on no node")
                .atMost(TIMEOUT)
                .pollInterval(POLL)
                .during(QUIET)
                .until(() ->
                        count("") == pods.size() && pods("Pending").stream().allMatch(ClaimsRun::isUnschedulable));
        int running = count("Running");
        int aligned = (int) cluster.nodes().stream()
                .flatMap(ClaimAlignment::containers)
                .filter(Boolean::booleanValue)
                .count();
        return figures(aligned, running - aligned, count("Failed"), count("Pending"));
    }

    /** @param phase empty: any */
    private List<Pod> pods(String phase) {
        return cluster.client().pods().inNamespace("default").list().getItems().stream()
                .filter(pod -> phase.isEmpty() || pod.getStatus().getPhase().equals(phase))
                .toList();
    }

    private int count(String phase) {
        return pods(phase).size();
    }

    private static boolean isUnschedulable(Pod pod) {
        return pod.getStatus().getConditions().stream()
                .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }
}
