package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudgetBuilder;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A node with as many free CPUs as a pod of higher priority needs, but not in one zone: kube-scheduler evicts nobody there, and
 * {@code --evict-for-zones} does.
 */
class ZoneEvictionIT {

    private static final Duration QUIET = Duration.ofSeconds(6);

    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() ->
            BridgedNodes.start(BridgedNodes.yaml("n"), List.of("--evict-for-zones"), "bridge.evictForZones=true"));

    private final ClusterPods pods = nodes.pods();

    /** Those that are gone, or still terminating. */
    private Set<String> evicted() {
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
        nodes.create(SimplePod.named("low-0").endingSlowly(3), 5);
        nodes.awaitRunning(1);
        nodes.create(SimplePod.named("low-1").endingSlowly(3), 4);
        nodes.awaitRunning(2);
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.bridge().cluster().reservations() == 0);
        protectAll();
        nodes.create(SimplePod.named("high").ofPriority("high"), 6);
        BridgedNodes.quiet(QUIET);
        assertThat(evicted()).as("protected").isEmpty();

        nodes.client()
                .policy()
                .v1()
                .podDisruptionBudget()
                .inNamespace("default")
                .delete();
        nodes.awaitRunning("high", 1);

        assertThat(evicted()).hasSize(1);
        nodes.assertNobodyRefused();
    }

    private void protectAll() {
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
