package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.numaledger.bridge.explain.NodeJson;
import io.numaledger.bridge.node.Confidence;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** The baseline's pods with the bridge: no kubelet refuses any, and at the end the ledger is what the kubelets hold. */
class BridgeBaselineIT {

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @Test
    void noKubeletRefusesAPod() {
        RealKubernetes.binaries();
        try (BridgedCluster bridged = BridgedCluster.start(BaselineMix.NODES)) {
            BaselineMix mix = new BaselineMix();
            long begin = System.nanoTime();
            for (int i = 0; i < BaselineMix.PODS; i++) {
                bridged.cluster().client().resource(mix.next().build()).create();
            }
            await().atMost(PATIENCE).until(() -> pods(bridged).stream().allMatch(BridgeBaselineIT::isDecided));
            Duration took = Duration.ofNanos(System.nanoTime() - begin);
            await().atMost(PATIENCE)
                    .until(() -> bridged.bridge().ledger().reservations() == 0
                            && bridged.bridge().ledger().pictures().stream()
                                    .allMatch(node -> node.confidence() == Confidence.EXACT));

            report(bridged, took);
            assertThat(bridged.cluster().journal().count("TopologyAffinityError"))
                    .isZero();
            assertThat(bridged.cluster().journal().count("UnexpectedAdmissionError"))
                    .isZero();
            assertThat(phases(bridged).getOrDefault("Failed", 0L)).isZero();
            bridged.bridge().ledger().pictures().forEach(node -> assertLedgerIsTheKubelets(bridged, node));
        }
    }

    private static List<Pod> pods(BridgedCluster bridged) {
        return bridged.cluster().client().pods().inNamespace("default").list().getItems();
    }

    private static boolean isDecided(Pod pod) {
        return !pod.getStatus().getPhase().equals("Pending")
                || pod.getStatus().getConditions().stream()
                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }

    private static Map<String, Long> phases(BridgedCluster bridged) {
        return pods(bridged).stream()
                .collect(Collectors.groupingBy(pod -> pod.getStatus().getPhase(), TreeMap::new, Collectors.counting()));
    }

    private static void report(BridgedCluster bridged, Duration took) {
        List<Long> waits = pods(bridged).stream()
                .flatMap(pod -> pod.getStatus().getConditions().stream()
                        .filter(condition -> condition.getType().equals("PodScheduled"))
                        .filter(condition -> condition.getStatus().equals("True"))
                        .map(PodCondition::getLastTransitionTime)
                        .map(bound -> Duration.between(
                                        Instant.parse(pod.getMetadata().getCreationTimestamp()), Instant.parse(bound))
                                .toSeconds()))
                .sorted()
                .toList();
        System.out.printf(
                "measured: bridge seed=%d pods=%d phases=%s took_ms=%d bound_per_s=%.1f wait_p50_s=%d wait_max_s=%d TopologyAffinityErrors=%d%n",
                BaselineMix.SEED,
                BaselineMix.PODS,
                phases(bridged),
                took.toMillis(),
                waits.size() * 1000.0 / took.toMillis(),
                waits.get(waits.size() / 2),
                waits.get(waits.size() - 1),
                bridged.cluster().journal().count("TopologyAffinityError"));
    }

    /** Free CPUs of each zone against the exclusive ones in the kubelet's state file. */
    private static void assertLedgerIsTheKubelets(BridgedCluster bridged, NodePicture node) {
        CpuSet held = CpuSet.EMPTY;
        for (JournalEntry entry : bridged.cluster().journal().entries()) {
            if (entry.node().filter(node.name()::equals).isPresent() && !entry.deleted()) {
                for (ContainerAllocation container : entry.held().values()) {
                    held = held.union(container.cpus());
                }
            }
        }
        var kubelet = node.model().kubelet().orElseThrow();
        CpuSet usable = kubelet.cpus()
                .orElseThrow()
                .topology()
                .all()
                .minus(kubelet.cpus().orElseThrow().reserved());
        for (NumaNode numaNode : kubelet.machine().topology().numaNodes()) {
            long free = numaNode.cpus().intersect(usable).minus(held).size() * 1000L;
            assertThat(NodeJson.free(kubelet, node.now().orElseThrow(), numaNode)
                            .get("cpu"))
                    .as("free CPUs of %s %s", node.name(), numaNode.zoneName())
                    .isEqualTo(free);
        }
    }
}
