package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClassBuilder;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node with as many free CPUs as a more important pod needs, but not in one zone: kube-scheduler evicts nobody there, and
 * {@code --evict-for-zones} does.
 */
class ZoneEvictionIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration QUIET = Duration.ofSeconds(6);

    private static BridgedCluster start() {
        BridgedCluster bridged = BridgedCluster.start(
                RealKubernetes.binaries(),
                """
                nodes:
                - name: n
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes:
                  - {id: 0, cores: 8, memory: 16Gi}
                  - {id: 1, cores: 8, memory: 16Gi}
                """,
                cluster -> ChartRights.credentials(cluster, "bridge.evictForZones=true"),
                settings -> settings.withWaiting(Bridge.Waiting.DEFAULT.evictingForZones()));
        bridged.cluster()
                .client()
                .resource(new PriorityClassBuilder()
                        .withNewMetadata()
                        .withName("high")
                        .endMetadata()
                        .withValue(1000)
                        .build())
                .create();
        return bridged;
    }

    private static Map<String, Pod> pods(BridgedCluster bridged) {
        Map<String, Pod> pods = new TreeMap<>();
        bridged.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .list()
                .getItems()
                .forEach(pod -> pods.put(pod.getMetadata().getName(), pod));
        return pods;
    }

    private static void create(BridgedCluster bridged, SimplePod pod, int cpus) {
        bridged.cluster()
                .client()
                .resource(pod.with("c", "cpu=" + cpus, "memory=1Gi").build())
                .create();
    }

    /** 3 CPUs are left in zone 0, and 3 in zone 1. */
    private static void fill(BridgedCluster bridged) {
        create(bridged, SimplePod.named("low-0").endingSlowly(3), 5);
        await().atMost(TIMEOUT).until(() -> isRunning(bridged, "low-0"));
        create(bridged, SimplePod.named("low-1").endingSlowly(3), 4);
        await().atMost(TIMEOUT).until(() -> isRunning(bridged, "low-1"));
        await().atMost(TIMEOUT).until(() -> bridged.bridge().cluster().reservations() == 0);
    }

    private static boolean isRunning(BridgedCluster bridged, String name) {
        return pods(bridged).get(name).getStatus().getPhase().equals("Running");
    }

    private static Set<String> missing(BridgedCluster bridged) {
        Set<String> missing = new TreeSet<>(List.of("low-0", "low-1"));
        missing.removeAll(pods(bridged).keySet());
        return missing;
    }

    @Test
    void evictsOnePodAndNoneThatABudgetProtects() {
        try (BridgedCluster bridged = start()) {
            fill(bridged);
            bridged.cluster()
                    .client()
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
            create(bridged, SimplePod.named("high").ofPriority("high"), 6);
            await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
            assertThat(missing(bridged)).as("protected").isEmpty();

            bridged.cluster()
                    .client()
                    .policy()
                    .v1()
                    .podDisruptionBudget()
                    .inNamespace("default")
                    .delete();
            await().atMost(TIMEOUT).until(() -> isRunning(bridged, "high"));

            assertThat(missing(bridged)).hasSize(1);
            assertThat(bridged.cluster().journal().count("TopologyAffinityError"))
                    .isZero();
        }
    }
}
