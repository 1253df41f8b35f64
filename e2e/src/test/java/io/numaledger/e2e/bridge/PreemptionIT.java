package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Pods of lower priority are evicted only where that frees the zones that a pod needs. Nodes {@code a} and {@code b} have two zones of 8
 * CPUs, one of them reserved.
 */
class PreemptionIT {

    /** Longer than kube-scheduler's back-off: time for an eviction too many. */
    private static final Duration QUIET = Duration.ofSeconds(5);

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.shared(BridgedNodes.TWO);

    private final ClusterPods pods = nodes.pods();

    /** Six pods of 4 CPUs, three on each node: one in zone 0, two in zone 1. */
    private void fill() {
        IntStream.range(0, 6).forEach(i -> nodes.create(SimplePod.named("low-" + i), 4));
        nodes.awaitRunning(6);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.all().stream()
                                .allMatch(pod ->
                                        pod.getMetadata().getAnnotations().containsKey(Annotations.PLACEMENT))
                        && nodes.bridge().cluster().reservations() == 0);
    }

    /** Names of the pods that are gone; waits whether there will be more. */
    private Set<String> evicted(Map<String, Pod> before) {
        BridgedNodes.quiet(QUIET);
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

        nodes.create(SimplePod.named("high").ofPriority("high"), 7);

        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning("high"));
        Set<String> evicted = evicted(before);
        assertThat(evicted).hasSize(1);
        assertThat(evicted).allMatch(name -> isInZone0(before.get(name)));
        nodes.assertNobodyRefused();
    }

    @Test
    void twoPodsOfOneZoneAreEvictedWhereOneIsNotEnough() {
        fill();
        Map<String, Pod> before = pods.byName();

        nodes.create(SimplePod.named("high").ofPriority("high"), 8);

        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning("high"));
        Set<String> evicted = evicted(before);
        assertThat(evicted).hasSize(2);
        assertThat(evicted).noneMatch(name -> isInZone0(before.get(name)));
    }

    @Test
    void nobodyIsEvictedForAPodThatNoZoneCanTake() {
        fill();
        Map<String, Pod> before = pods.byName();

        nodes.create(SimplePod.named("high").ofPriority("high"), 9);

        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.get("high").getStatus().getConditions().stream()
                        .anyMatch(condition -> "Unschedulable".equals(condition.getReason())));
        assertThat(evicted(before)).isEmpty();
    }

    /** While the victims terminate, nobody else is evicted, and nobody takes their place. */
    @Test
    void slowVictimsAreWaitedFor() {
        IntStream.range(0, 6)
                .forEach(i -> nodes.create(SimplePod.named("low-" + i).endingSlowly(8), 4));
        nodes.awaitRunning(6);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.bridge().cluster().reservations() == 0);
        Map<String, Pod> before = pods.byName();

        nodes.create(SimplePod.named("high").ofPriority("high"), 8);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> pods.get("high").getStatus().getNominatedNodeName() != null);
        nodes.create(SimplePod.named("low-late"), 4);

        await().atMost(BridgedNodes.TIMEOUT).until(() -> pods.isRunning("high"));
        assertThat(evicted(before)).hasSize(2);
        assertThat(pods.get("low-late").getSpec().getNodeName()).isNull();
        nodes.assertNobodyRefused();
    }

    /** One eviction each; kube-scheduler alone evicts on node after node. */
    @Test
    void severalPodsGetAVictimEach() {
        fill();
        Map<String, Pod> before = pods.byName();

        List.of("high-0", "high-1")
                .forEach(name -> nodes.create(SimplePod.named(name).ofPriority("high"), 7));

        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> List.of("high-0", "high-1").stream().allMatch(name -> pods.isRunning(name)));
        assertThat(evicted(before)).hasSize(2);
    }
}
