package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apps.ReplicaSetBuilder;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A pod that was bound without the bridge runs over more zones than it allows: it is evicted, and placed again by its ReplicaSet. */
class HealingIT {

    private static final Map<String, String> LABELS = Map.of("app", "set");

    /** Longer than the first eviction takes. */
    private static final Duration QUIET = Duration.ofSeconds(30);

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedNodes.start(
            """
            nodes:
            - name: loose
              kubelet: {topologyManagerPolicy: best-effort}
              numaNodes: [{id: 0, cores: 5, memory: 8Gi}, {id: 1, cores: 4, memory: 8Gi}]
            - name: strict
              kubelet: {topologyManagerPolicy: single-numa-node}
              numaNodes: [{id: 0, cores: 8, memory: 16Gi}, {id: 1, cores: 8, memory: 16Gi}]
            """, List.of("--heal-misaligned", "--heal-per-hour=360"), "bridge.healMisaligned.enabled=true"));

    @AfterEach
    void deleteTheSet() {
        nodes.client().apps().replicaSets().inNamespace("default").delete();
    }

    @Test
    void evictsAPodOnceItsBudgetAllowsIt() {
        protectAll();
        nodes.client().resource(pod(SimplePod.named("astray").on("loose"))).create();
        nodes.awaitRunning(1);
        createSet(SimplePod.named("set"));
        await("the set has adopted the pod")
                .atMost(BridgedNodes.TIMEOUT)
                .until(() -> !nodes.pods()
                        .get("astray")
                        .getMetadata()
                        .getOwnerReferences()
                        .isEmpty());
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("astray").contains("NumaSpreadExceeded"));
        BridgedNodes.quiet(QUIET);
        assertThat(nodes.pods().get("astray").getMetadata().getDeletionTimestamp())
                .as("protected")
                .isNull();

        nodes.client()
                .policy()
                .v1()
                .podDisruptionBudget()
                .inNamespace("default")
                .delete();
        nodes.awaitRunning("set-", 1);

        assertThat(nodes.nodesOf("set-")).isEqualTo(Set.of("strict"));
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons("astray").contains("NumaSpreadExceededEvicted"));
        assertThat(nodes.cluster().metrics())
                .contains("numaledger_bridge_healing_evictions_total{demand=\"max_numa_spread\"} 1.0");
        nodes.assertNobodyRefused();
    }

    @Test
    void leavesAPodAloneThatItsTemplatePutsOnItsNode() {
        createSet(SimplePod.named("set").on("loose"));
        nodes.awaitRunning("set-", 1);
        String pod = nodes.pods().all().get(0).getMetadata().getName();
        await().atMost(BridgedNodes.TIMEOUT).until(() -> nodes.reasons(pod).contains("NumaSpreadExceeded"));
        BridgedNodes.quiet(QUIET);

        assertThat(nodes.pods().get(pod).getMetadata().getDeletionTimestamp()).isNull();
    }

    private static Pod pod(SimplePod pod) {
        return pod.annotated(Annotations.MAX_NUMA_SPREAD, "1")
                .with("c", "cpu=6", "memory=1Gi")
                .build()
                .edit()
                .editMetadata()
                .withLabels(LABELS)
                .endMetadata()
                .build();
    }

    private static void createSet(SimplePod pod) {
        Pod template = pod(pod);
        nodes.client()
                .resource(new ReplicaSetBuilder()
                        .withNewMetadata()
                        .withName("set")
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withReplicas(1)
                        .withNewSelector()
                        .withMatchLabels(LABELS)
                        .endSelector()
                        .withNewTemplate()
                        .withNewMetadata()
                        .withLabels(LABELS)
                        .withAnnotations(template.getMetadata().getAnnotations())
                        .endMetadata()
                        .withSpec(template.getSpec())
                        .endTemplate()
                        .endSpec()
                        .build())
                .create();
    }

    private static void protectAll() {
        nodes.client()
                .resource(new PodDisruptionBudgetBuilder()
                        .withNewMetadata()
                        .withName("all")
                        .withNamespace("default")
                        .endMetadata()
                        .withNewSpec()
                        .withNewMaxUnavailable(0)
                        .withNewSelector()
                        .endSelector()
                        .endSpec()
                        .build())
                .create();
    }
}
