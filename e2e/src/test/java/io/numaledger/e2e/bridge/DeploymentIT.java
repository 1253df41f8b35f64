package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * The README's example: a Deployment of six pods of 5 CPUs, on two nodes with two NUMA nodes of 8 CPUs each. Four of the pods fit.
 * {@code -Dnumaledger.deployment.seconds=60} runs it as long as the README says.
 */
class DeploymentIT {

    private static final Duration RUN = Duration.ofSeconds(Integer.getInteger("numaledger.deployment.seconds", 10));

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.shared(BridgedNodes.TWO);

    private static void deploy(SimCluster cluster) {
        Map<String, String> labels = Map.of("app", "six");
        Pod pod = SimplePod.named("pod").with("c", "cpu=5", "memory=1Gi").build();
        cluster.client()
                .resource(new DeploymentBuilder()
                        .withNewMetadata()
                        .withName("six")
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(6)
                        .withNewSelector()
                        .withMatchLabels(labels)
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .withLabels(labels)
                        .endMetadata()
                        .withSpec(pod.getSpec())
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    /** Phase, or the reason of a failure → pods. */
    private static Map<String, Long> pods(SimCluster cluster) {
        return cluster.client().pods().inNamespace("default").list().getItems().stream()
                .collect(groupingBy(
                        pod -> Optional.ofNullable(pod.getStatus().getReason())
                                .orElse(pod.getStatus().getPhase()),
                        counting()));
    }

    @Test
    void withoutTheBridgeEachRefusedPodIsReplacedByTheNext() {
        try (SimCluster cluster = RealKubernetes.cluster(BridgedNodes.yaml("a", "b"))) {
            deploy(cluster);
            await("refused pods are replaced without end")
                    .pollDelay(RUN)
                    .atMost(RUN.plus(BridgedNodes.TIMEOUT))
                    .until(() -> pods(cluster).getOrDefault("TopologyAffinityError", 0L) > 20);

            Map<String, Long> pods = pods(cluster);
            System.out.printf("measured: six pods, kube-scheduler alone, after %d s: %s%n", RUN.toSeconds(), pods);
            assertThat(pods.get("Running")).isEqualTo(4);
        }
    }

    @Test
    void withTheBridgeFourRunAndTwoWait() {
        deploy(nodes.cluster().cluster());
        BridgedNodes.quiet(RUN);

        Map<String, Long> pods = pods(nodes.cluster().cluster());
        System.out.printf("measured: six pods, with the bridge, after %d s: %s%n", RUN.toSeconds(), pods);
        assertThat(pods).isEqualTo(Map.of("Running", 4L, "Pending", 2L));
    }
}
