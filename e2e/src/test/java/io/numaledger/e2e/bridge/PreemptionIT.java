package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Less important pods are evicted only where that frees the zones that a pod needs. Nodes {@code a} and {@code b} have two zones of 8
 * CPUs, one of them reserved.
 */
class PreemptionIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);

    /** Longer than kube-scheduler's back-off: time for an eviction too many. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    private static BridgedCluster bridged;
    private static ClusterPods pods;

    @BeforeAll
    static void start() {
        bridged = BridgedCluster.start(RealKubernetes.binaries(), """
                nodes:
                - name: a
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes:
                  - {id: 0, cores: 8, memory: 16Gi}
                  - {id: 1, cores: 8, memory: 16Gi}
                - name: b
                  kubelet: {topologyManagerPolicy: single-numa-node}
                  numaNodes:
                  - {id: 0, cores: 8, memory: 16Gi}
                  - {id: 1, cores: 8, memory: 16Gi}
                """, ChartRights::credentials);
        pods = new ClusterPods(bridged.cluster());
        pods.definePriority("high", 1000);
    }

    @AfterAll
    static void stop() {
        if (bridged != null) {
            bridged.close();
        }
    }

    @AfterEach
    void deletePods() {
        bridged.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .withGracePeriod(0)
                .delete();
        await().atMost(TIMEOUT).until(() -> pods.all().isEmpty());
        await().atMost(TIMEOUT)
                .until(() -> bridged.bridge().cluster().snapshots().stream()
                        .allMatch(node -> node.pods().isEmpty()));
    }

    private static void create(SimplePod pod, int cpus) {
        pods.create(pod.with("c", "cpu=" + cpus, "memory=1Gi"));
    }

    /** Six pods of 4 CPUs, three on each node: one in zone 0, two in zone 1. */
    private static void fill() {
        IntStream.range(0, 6).forEach(i -> create(SimplePod.named("low-" + i), 4));
        awaitRunning(6);
        await().atMost(TIMEOUT)
                .until(() -> pods.all().stream()
                                .allMatch(pod ->
                                        pod.getMetadata().getAnnotations().containsKey(Annotations.PLACEMENT))
                        && bridged.bridge().cluster().reservations() == 0);
    }

    private static void awaitRunning(long count) {
        await().atMost(TIMEOUT)
                .until(() -> pods.all().stream()
                                .filter(pod -> pod.getStatus().getPhase().equals("Running")
                                        && pod.getMetadata().getDeletionTimestamp() == null)
                                .count()
                        == count);
    }

    /** Names of the pods that are gone; waits whether there will be more. */
    private static Set<String> evicted(Map<String, Pod> before) {
        await().pollDelay(QUIET).atMost(TIMEOUT).until(() -> true);
        Set<String> gone = new TreeSet<>(before.keySet());
        gone.removeAll(pods.byName().keySet());
        return gone;
    }

    private static boolean isInZone0(Pod pod) {
        return pod.getMetadata().getAnnotations().get(Annotations.OBSERVED).contains("node-0");
    }

    @Test
    void onePodOfTheZoneThatThenSufficesIsEvicted() {
        fill();
        Map<String, Pod> before = pods.byName();

        create(SimplePod.named("high").ofPriority("high"), 7);

        await().atMost(TIMEOUT).until(() -> pods.isRunning("high"));
        Set<String> evicted = evicted(before);
        assertThat(evicted).hasSize(1);
        assertThat(evicted).allMatch(name -> isInZone0(before.get(name)));
        assertThat(bridged.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    @Test
    void twoPodsOfOneZoneAreEvictedWhereOneIsNotEnough() {
        fill();
        Map<String, Pod> before = pods.byName();

        create(SimplePod.named("high").ofPriority("high"), 8);

        await().atMost(TIMEOUT).until(() -> pods.isRunning("high"));
        Set<String> evicted = evicted(before);
        assertThat(evicted).hasSize(2);
        assertThat(evicted).noneMatch(name -> isInZone0(before.get(name)));
    }

    @Test
    void nobodyIsEvictedForAPodThatNoZoneCanTake() {
        fill();
        Map<String, Pod> before = pods.byName();

        create(SimplePod.named("high").ofPriority("high"), 9);

        await().atMost(TIMEOUT)
                .until(() -> pods.get("high").getStatus().getConditions().stream()
                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason())));
        assertThat(evicted(before)).isEmpty();
    }

    /** While the victims terminate, nobody else is evicted, and nobody takes their place. */
    @Test
    void slowVictimsAreWaitedFor() {
        IntStream.range(0, 6).forEach(i -> create(SimplePod.named("low-" + i).endingSlowly(8), 4));
        awaitRunning(6);
        await().atMost(TIMEOUT).until(() -> bridged.bridge().cluster().reservations() == 0);
        Map<String, Pod> before = pods.byName();

        create(SimplePod.named("high").ofPriority("high"), 8);
        await().atMost(TIMEOUT).until(() -> pods.get("high").getStatus().getNominatedNodeName() != null);
        create(SimplePod.named("low-late"), 4);

        await().atMost(TIMEOUT).until(() -> pods.isRunning("high"));
        assertThat(evicted(before)).hasSize(2);
        assertThat(pods.get("low-late").getSpec().getNodeName()).isNull();
        assertThat(bridged.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    /** One eviction each; kube-scheduler alone evicts on node after node. */
    @Test
    void severalPodsGetAVictimEach() {
        fill();
        Map<String, Pod> before = pods.byName();

        List.of("high-0", "high-1").forEach(name -> create(SimplePod.named(name).ofPriority("high"), 7));

        await().atMost(TIMEOUT)
                .until(() -> List.of("high-0", "high-1").stream().allMatch(name -> pods.isRunning(name)));
        assertThat(evicted(before)).hasSize(2);
    }
}
