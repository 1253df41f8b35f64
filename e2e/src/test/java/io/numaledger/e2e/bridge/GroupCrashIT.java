package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.run.BridgeOptions;
import io.numaledger.bridge.watch.ApiGroupWriter;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A bridge ends at each step of a group's plan, and the next one finishes the plan. Each of two nodes has two zones of 8 CPUs, one of them
 * reserved: a group of four pods of 5 CPUs fills both.
 */
class GroupCrashIT {

    private static final int PORT = FreePort.next();

    private static Path kubeconfig;

    /** Their bridge only watches: the scheduler calls another one. */
    @RegisterExtension
    static final BridgedNodes nodes = BridgedNodes.own(() -> BridgedCluster.watching(
            RealKubernetes.binaries(),
            BridgedNodes.yaml("a", "b"),
            SchedulerConfig.text(
                    "http://127.0.0.1:" + PORT, "default-scheduler", Optional.empty(), Optional.empty(), false),
            GroupCrashIT::credentials));

    private final ClusterPods pods = nodes.pods();

    /** The last step before the bridge ends. */
    private enum Step {
        CREATED,
        FIRST_RELEASED,
        ALL_RELEASED,
        FIRST_BOUND
    }

    private static Credentials credentials(SimCluster cluster) {
        Credentials credentials = ChartRights.credentials(cluster, "bridge.groups.enabled=true");
        kubeconfig = credentials.bridge();
        return credentials;
    }

    /** A bridge that the scheduler calls and that plans groups. */
    private record PlanningBridge(KubernetesClient client, Bridge bridge) implements AutoCloseable {

        static PlanningBridge start() throws IOException {
            KubernetesClient client = ClusterReader.client(Optional.of(kubeconfig));
            Bridge bridge = new Bridge(BridgeOptions.plainHttp(PORT, "--groups"), client);
            bridge.start();
            await().atMost(BridgedNodes.TIMEOUT).until(bridge::isReady);
            return new PlanningBridge(client, bridge);
        }

        @Override
        public void close() {
            bridge.close();
            client.close();
        }
    }

    @ParameterizedTest
    @EnumSource
    void theNextBridgeFinishesThePlan(Step step) throws IOException {
        nodes.cluster().cluster().stopScheduler();
        IntStream.range(0, 4)
                .forEach(i -> nodes.create(SimplePod.named("g-" + i).ofGatedGroup("g", 4), 5));

        carryOutUntil(step);
        assertThat(released()).isEqualTo(releasedAfter(step));

        try (PlanningBridge next = PlanningBridge.start()) {
            nodes.cluster().cluster().startScheduler();
            nodes.awaitRunning("g-", 4);
            await().atMost(BridgedNodes.TIMEOUT)
                    .until(() -> !next.bridge().cluster().reserved().hasPlanned());
        }
        nodes.assertNobodyRefused();
    }

    private static long releasedAfter(Step step) {
        return switch (step) {
            case CREATED -> 0;
            case FIRST_RELEASED -> 1;
            case ALL_RELEASED, FIRST_BOUND -> 4;
        };
    }

    private long released() {
        return pods.all().stream()
                .filter(pod -> pod.getSpec().getSchedulingGates().isEmpty())
                .count();
    }

    private void carryOutUntil(Step step) throws IOException {
        switch (step) {
            case CREATED -> {}
            case FIRST_RELEASED -> releaseFirst();
            case ALL_RELEASED -> planAndEnd();
            case FIRST_BOUND -> {
                planAndEnd();
                bindFirst();
                pods.awaitPhase("g-0", "Running");
            }
        }
    }

    private void planAndEnd() throws IOException {
        try (PlanningBridge first = PlanningBridge.start()) {
            assertThat(first.bridge().isReady()).isTrue();
            await().atMost(BridgedNodes.TIMEOUT).until(() -> released() == 4);
        }
    }

    /** The write that the bridge does first. */
    private void releaseFirst() throws IOException {
        await().atMost(BridgedNodes.TIMEOUT)
                .until(() -> nodes.bridge().cluster().pods().get("default/g-0").isPresent());
        PodFacts pod = nodes.bridge().cluster().pods().get("default/g-0").orElseThrow();
        try (KubernetesClient client = ClusterReader.client(Optional.of(kubeconfig))) {
            new ApiGroupWriter(client).release(pod, "a", Optional.empty());
        }
    }

    private void bindFirst() {
        Binding binding = new BindingBuilder()
                .withNewMetadata()
                .withName("g-0")
                .withNamespace("default")
                .endMetadata()
                .withNewTarget()
                .withKind("Node")
                .withName(pods.get("g-0").getMetadata().getAnnotations().get(PodFacts.PLANNED_NODE))
                .endTarget()
                .build();
        nodes.client().bindings().inNamespace("default").resource(binding).create();
    }
}
