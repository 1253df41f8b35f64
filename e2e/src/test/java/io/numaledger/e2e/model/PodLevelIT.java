package io.numaledger.e2e.model;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.cluster.JournalEntry;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.node.PodRequests;
import io.numaledger.simulator.node.SpecModel;
import io.numaledger.simulator.workload.SimplePod;
import io.numaledger.topology.CpuSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** Real kubelets decide on pods with resources of their own as the model does, with the gate PodLevelResourceManagers on and off. */
class PodLevelIT {

    private static SimCluster cluster;

    @BeforeAll
    static void start() {
        cluster = RealKubernetes.cluster("nodes:\n"
                + node("off", "", "")
                + node("on-container", "", ", PodLevelResourceManagers: true")
                + node("on-pod", "topologyManagerScope: pod, ", ", PodLevelResourceManagers: true"));
    }

    /** Without cgroups, kubelet 1.36 panics when it resizes such a pod. */
    private static String node(String name, String scope, String gates) {
        return """
                - name: %s
                  kubelet: {topologyManagerPolicy: restricted, %sfeatureGates: {InPlacePodLevelResourcesVerticalScaling: false%s}}
                  numaNodes: [{id: 0, cores: 16, memory: 8Gi}, {id: 1, cores: 16, memory: 8Gi}]
                """.formatted(name, scope, gates);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    private static List<SimplePod> pods(String node) {
        return List.of(
                SimplePod.named(node + "-all")
                        .ofResources("cpu=4", "memory=2Gi")
                        .with("main", "cpu=2", "memory=1Gi")
                        .with("side", "cpu=2", "memory=1Gi"),
                SimplePod.named(node + "-rest")
                        .ofResources("cpu=4", "memory=1Gi")
                        .with("main", "cpu=2", "memory=512Mi")
                        .with("shares"),
                SimplePod.named(node + "-no-memory")
                        .ofResources("cpu=2", "memory=1Gi")
                        .with("main", "cpu=2"),
                SimplePod.named(node + "-shared")
                        .ofResources("cpu=2", "memory=512Mi")
                        .with("shares"),
                SimplePod.named(node + "-large")
                        .ofResources("cpu=13", "memory=1Gi")
                        .with("main", "cpu=12", "memory=1Gi"),
                SimplePod.named(node + "-no-zone")
                        .ofResources("cpu=6", "memory=1Gi")
                        .with("main", "cpu=6", "memory=1Gi"));
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"off", "on-container", "on-pod"})
    void theKubeletDecidesAsPredicted(String node) {
        ClusterPods pods = new ClusterPods(cluster);
        KubeletModel model = SpecModel.start(cluster.node(node).spec());
        NodeState state = model.empty();
        for (SimplePod pod : pods(node)) {
            pods.create(pod.on(node));
            pods.awaitAllDecided();
            Pod decided = pods.get(pod.build().getMetadata().getName());
            PodRequest request = PodRequests.of(decided);
            Decision decision = model.admit(state, request);
            JournalEntry entry = pods.entry(decided.getMetadata().getName());

            Optional<String> refusal = decision.admission()
                    .refused()
                    .map(refused -> refused.reason().toString());
            assertThat(Optional.of(entry.verdict().reason()).filter(reason -> !reason.isEmpty()))
                    .as("%s: %s", entry.key(), entry.verdict())
                    .isEqualTo(refusal);
            if (decision.admission() instanceof Admission.Admitted admitted) {
                for (PredictedContainer container : admitted.containers()) {
                    CpuSet held = entry.held().containsKey(container.name())
                            ? entry.held().get(container.name()).cpus()
                            : CpuSet.EMPTY;
                    assertThat(held).as("%s %s", entry.key(), container.name()).isEqualTo(container.cpus());
                }
            }
            if (refusal.isEmpty() && entry.name().endsWith("-rest")) {
                await("the kubelet lists the pod")
                        .atMost(ClusterPods.TIMEOUT)
                        .untilAsserted(() ->
                                assertThat(reported(pods.entry(entry.name()))).isEqualTo(expectedReport(node)));
            }
            state = model.started(decision.state(), request);
            if (refusal.isPresent()) {
                state = model.removeStaleState(model.ended(state, request.name()));
            }
        }
    }

    /** CPUs of the pod, then of its containers main and shares, as the podresources API lists them. */
    private static List<Integer> reported(JournalEntry entry) {
        return entry.reported()
                .map(pod -> List.of(pod.cpus().size(), cpus(pod, "main"), cpus(pod, "shares")))
                .orElse(List.of());
    }

    private static int cpus(PodAllocation pod, String container) {
        return pod.containers().stream()
                .filter(each -> each.name().equals(container))
                .mapToInt(each -> each.cpus().size())
                .sum();
    }

    /** With scope pod, the pod holds CPUs as a whole. From 1.37 on, these are listed for the pod, and not for containers that share it. */
    private static List<Integer> expectedReport(String node) {
        boolean listsPods =
                KubeletVersion.parse(RealKubernetes.binaries().version()).minor() >= 37;
        return switch (node) {
            case "on-pod" -> listsPods ? List.of(4, 2, 0) : List.of(0, 2, 2);
            case "on-container" -> List.of(0, 2, 0);
            default -> List.of(0, 0, 0);
        };
    }
}
