package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node with as many free CPUs as a more important pod needs, but not in one zone: kube-scheduler evicts nobody there, and
 * {@code --evict-for-zones} does.
 */
class ZoneEvictionIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration QUIET = Duration.ofSeconds(6);

    private static BridgedCluster start() {
        return BridgedCluster.start(
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
    }

    private static void create(ClusterPods pods, SimplePod pod, int cpus) {
        pods.create(pod.with("c", "cpu=" + cpus, "memory=1Gi"));
    }

    /** Those that are gone, or still terminating. */
    private static Set<String> evicted(ClusterPods pods) {
        Set<String> evicted = new TreeSet<>(List.of("low-0", "low-1"));
        pods.byName().forEach((name, pod) -> {
            if (pod.getMetadata().getDeletionTimestamp() == null) {
                evicted.remove(name);
            }
        });
        return evicted;
    }

    /** 3 CPUs are left in each zone; the pod needs 6. */
    @Test
    void evictsOnePodAndNoneThatABudgetProtects() {
        try (BridgedCluster bridged = start()) {
            ClusterPods pods = new ClusterPods(bridged.cluster());
            pods.definePriority("high", 1000);
            create(pods, SimplePod.named("low-0").endingSlowly(3), 5);
            await().atMost(TIMEOUT).until(() -> pods.isRunning("low-0"));
            create(pods, SimplePod.named("low-1").endingSlowly(3), 4);
            await().atMost(TIMEOUT).until(() -> pods.isRunning("low-1"));
            await().atMost(TIMEOUT).until(() -> bridged.bridge().cluster().reservations() == 0);
            protectAll(bridged);
            create(pods, SimplePod.named("high").ofPriority("high"), 6);
            await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
            assertThat(evicted(pods)).as("protected").isEmpty();

            bridged.cluster()
                    .client()
                    .policy()
                    .v1()
                    .podDisruptionBudget()
                    .inNamespace("default")
                    .delete();
            await().atMost(TIMEOUT).until(() -> pods.isRunning("high"));

            assertThat(evicted(pods)).hasSize(1);
            assertThat(bridged.cluster().journal().count("TopologyAffinityError"))
                    .isZero();
        }
    }

    private static void protectAll(BridgedCluster bridged) {
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
    }
}
