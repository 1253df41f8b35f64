package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.BindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.run.Bridge;
import io.numaledger.bridge.watch.ApiGroupWriter;
import io.numaledger.bridge.watch.ClusterReader;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.deployment.BridgedCluster;
import io.numaledger.simulator.deployment.Credentials;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * A bridge ends at each step of a group's plan, and the next one finishes the plan. Each of two nodes has two zones of 8 CPUs, one of them
 * reserved: a group of four pods of 5 CPUs fills both.
 */
class GroupCrashIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int PORT = FreePort.next();

    private static BridgedCluster watched;
    private static ClusterPods pods;
    private static Path kubeconfig;

    /** The last step before the bridge ends. */
    private enum Step {
        CREATED,
        FIRST_RELEASED,
        ALL_RELEASED,
        FIRST_BOUND
    }

    @BeforeAll
    static void start() {
        watched = BridgedCluster.watching(
                RealKubernetes.binaries(),
                """
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
                """,
                SchedulerConfig.text(
                        "http://127.0.0.1:" + PORT, "default-scheduler", Optional.empty(), Optional.empty(), false),
                GroupCrashIT::credentials);
        pods = new ClusterPods(watched.cluster());
    }

    private static Credentials credentials(SimCluster cluster) {
        Credentials credentials = ChartRights.credentials(cluster, "bridge.groups.enabled=true");
        kubeconfig = credentials.bridge();
        return credentials;
    }

    @AfterAll
    static void stop() {
        if (watched != null) {
            watched.close();
        }
    }

    @AfterEach
    void deletePods() {
        watched.cluster()
                .client()
                .pods()
                .inNamespace("default")
                .withGracePeriod(0)
                .delete();
        await().atMost(TIMEOUT).until(() -> pods.all().isEmpty());
        await().atMost(TIMEOUT)
                .until(() -> watched.bridge().cluster().snapshots().stream()
                        .allMatch(node -> node.pods().isEmpty()));
    }

    /** A bridge that the scheduler calls and that plans groups. */
    private record PlanningBridge(KubernetesClient client, Bridge bridge) implements AutoCloseable {

        static PlanningBridge start() throws IOException {
            KubernetesClient client = ClusterReader.client(Optional.of(kubeconfig));
            Bridge bridge = new Bridge(
                    Bridge.Settings.plainHttp(new InetSocketAddress(InetAddress.getLoopbackAddress(), PORT))
                            .withGroups(Bridge.Groups.PLANNED),
                    client);
            bridge.start();
            await().atMost(TIMEOUT).until(bridge::isReady);
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
        watched.cluster().stopScheduler();
        IntStream.range(0, 4)
                .forEach(i -> pods.create(
                        SimplePod.named("g-" + i).ofGatedGroup("g", 4).with("c", "cpu=5", "memory=1Gi")));

        carryOutUntil(step);
        assertThat(released()).isEqualTo(releasedAfter(step));

        try (PlanningBridge next = PlanningBridge.start()) {
            watched.cluster().startScheduler();
            await().atMost(TIMEOUT).until(() -> IntStream.range(0, 4).allMatch(i -> pods.isRunning("g-" + i)));
            await().atMost(TIMEOUT).until(() -> !next.bridge().cluster().hasPlanned());
        }
        assertThat(watched.cluster().journal().count("TopologyAffinityError")).isZero();
    }

    private static long releasedAfter(Step step) {
        return switch (step) {
            case CREATED -> 0;
            case FIRST_RELEASED -> 1;
            case ALL_RELEASED, FIRST_BOUND -> 4;
        };
    }

    private static long released() {
        return pods.all().stream()
                .filter(pod -> pod.getSpec().getSchedulingGates().isEmpty())
                .count();
    }

    private static void carryOutUntil(Step step) throws IOException {
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

    private static void planAndEnd() throws IOException {
        try (PlanningBridge first = PlanningBridge.start()) {
            assertThat(first.bridge().isReady()).isTrue();
            await().atMost(TIMEOUT).until(() -> released() == 4);
        }
    }

    /** The write that the bridge does first. */
    private static void releaseFirst() throws IOException {
        await().atMost(TIMEOUT)
                .until(() -> watched.bridge().cluster().pod("default/g-0").isPresent());
        PodFacts pod = watched.bridge().cluster().pod("default/g-0").orElseThrow();
        try (KubernetesClient client = ClusterReader.client(Optional.of(kubeconfig))) {
            new ApiGroupWriter(client).release(pod, "a", Optional.empty());
        }
    }

    private static void bindFirst() {
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
        watched.cluster()
                .client()
                .bindings()
                .inNamespace("default")
                .resource(binding)
                .create();
    }
}
