package io.numaledger.e2e.bridge;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.bridge.cli.SchedulerConfig;
import io.numaledger.e2e.support.ChartRights;
import io.numaledger.e2e.support.ClusterPods;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.e2e.support.RunningAgent;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * What becomes of pods while the bridge is away, as ADR 3 says. kube-scheduler reaches it over HTTPS, with the shipped
 * configuration, and verifies its certificate. One node, two zones of 16 CPUs.
 */
class BridgeDownIT {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int BURST = 24;

    @TempDir
    private static Path directory;

    private static final String TOPOLOGIES = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

    private static SimCluster cluster;
    private static ChartAccounts accounts;
    private static final String UNKNOWN_ZONES = "numaledger_bridge_unmodelled_node{node=\"n\",reason=\"no-zones\"} 1";

    private static BridgeProcess bridge;
    private static ClusterPods pods;
    private static Optional<RunningAgent> agent = Optional.empty();

    @BeforeAll
    static void start() throws IOException {
        var binaries = RealKubernetes.binaries();
        BridgeCertificates certificates = BridgeCertificates.make(directory);
        int port = FreePort.next();
        cluster = SimCluster.builder(binaries)
                .nodes(NodeSpecYaml.parse("""
                        nodes:
                        - name: n
                          kubelet: {topologyManagerPolicy: single-numa-node}
                          numaNodes: [{id: 0, cores: 17, memory: 16Gi}, {id: 1, cores: 16, memory: 16Gi}]
                        """))
                .schedulerConfiguration(SchedulerConfig.text(
                        "https://127.0.0.1:" + port,
                        "default-scheduler",
                        Optional.empty(),
                        Optional.of(certificates.scheduler()),
                        false))
                .start();
        accounts = ChartRights.install(cluster);
        pods = new ClusterPods(cluster);
        bridge = new BridgeProcess(
                port,
                accounts.bridge(),
                directory,
                certificates,
                cluster.client().getConfiguration().getAutoOAuthToken());
        agent = Optional.of(RunningAgent.startProcess(cluster.node("n"), accounts.agent("n"), directory));
    }

    @AfterAll
    static void stop() {
        agent.ifPresent(RunningAgent::close);
        if (bridge != null) {
            bridge.close();
        }
        if (cluster != null) {
            cluster.close();
        }
    }

    @AfterEach
    void deletePods() {
        pods.deleteAll();
    }

    /** Started, and with the zones that the agent has published. */
    private static void startBridge() {
        bridge.start();
        await("the bridge knows the node's zones")
                .atMost(TIMEOUT)
                .until(() -> !bridge.get("/metrics").body().contains(UNKNOWN_ZONES));
    }

    private static SimplePod pod(String name, int cpus) {
        return SimplePod.named(name).with("c", "cpu=" + cpus, "memory=512Mi");
    }

    /** Until the scheduler has said so of the pod, in an event. */
    private static void awaitFailedScheduling(String pod, String... words) {
        await("%s is not scheduled because of %s".formatted(pod, List.of(words)))
                .atMost(TIMEOUT)
                .untilAsserted(() -> assertThat(schedulerSaid(pod))
                        .anySatisfy(message -> assertThat(message).contains(words)));
        assertThat(pods.get(pod).getSpec().getNodeName()).isNull();
    }

    private static List<String> schedulerSaid(String pod) {
        return cluster.client().v1().events().inNamespace("default").list().getItems().stream()
                .filter(event -> event.getInvolvedObject().getName().equals(pod))
                .filter(event -> event.getReason().equals("FailedScheduling"))
                .map(event -> event.getMessage())
                .toList();
    }

    /** One more kube-scheduler, for pods that name it. */
    private static ChildProcess scheduler(String name, String configuration) throws IOException {
        Path file = Files.writeString(directory.resolve(name + ".yaml"), configuration);
        return ChildProcess.start(
                "scheduler-" + name,
                directory,
                List.of(
                        RealKubernetes.binaries()
                                .directory()
                                .resolve("kube-scheduler")
                                .toString(),
                        "--config=" + file,
                        "--secure-port=0"));
    }

    @Test
    void holdsBackThePodsOfItsSchedulerAndNoOthers() throws IOException {
        bridge.kill();
        String without = SchedulerConfig.text(
                "http://unused", "plain", Optional.of(cluster.kubeconfig()), Optional.empty(), false);
        try (ChildProcess plain = scheduler("plain", without.substring(0, without.indexOf("extenders:")))) {
            pods.create(pod("waits", 4));
            pods.create(SimplePod.named("small").burstable("c", "cpu=100m", "memory=64Mi"));
            pods.create(pod("placed", 4).on("n"));
            pods.create(pod("others", 4).scheduledBy("plain"));

            pods.awaitPhase("placed", "Running");
            pods.awaitPhase("others", "Running");
            awaitFailedScheduling("waits", bridge.url() + "/filter", "connection refused");
            awaitFailedScheduling("small", bridge.url() + "/filter", "connection refused");
            assertThat(plain.isAlive()).isTrue();
        }

        startBridge();

        pods.awaitPhase("waits", "Running");
        pods.awaitPhase("small", "Running");
    }

    @Test
    void bindsNothingBlindlyWhenItIsKilledInABurst() {
        startBridge();
        IntStream.range(0, BURST).forEach(i -> pods.create(pod("burst-" + i, 1)));
        await("some pods are bound").atMost(TIMEOUT).until(() -> bound().size() >= 3);

        bridge.kill();

        awaitSomeFailedScheduling();
        assertThat(bound()).hasSizeLessThan(BURST).allSatisfy(BridgeDownIT::wasBoundByTheBridge);
        startBridge();
        await("all pods run").atMost(TIMEOUT).until(() -> running() == BURST);
        assertThat(bound()).allSatisfy(BridgeDownIT::wasBoundByTheBridge);
        assertThat(cluster.journal().count("TopologyAffinityError")).isZero();
    }

    private static void awaitSomeFailedScheduling() {
        await("the scheduler finds no bridge")
                .atMost(TIMEOUT)
                .until(() -> IntStream.range(0, BURST)
                        .mapToObj(i -> schedulerSaid("burst-" + i))
                        .flatMap(List::stream)
                        .anyMatch(message -> message.contains("connection refused") || message.contains("EOF")));
    }

    private static List<Pod> bound() {
        return pods.all().stream()
                .filter(pod -> pod.getSpec().getNodeName() != null)
                .toList();
    }

    private static long running() {
        return pods.all().stream()
                .filter(pod -> pod.getStatus().getPhase().equals("Running"))
                .count();
    }

    /** The default binder predicts nothing. */
    private static void wasBoundByTheBridge(Pod pod) {
        assertThat(pod.getMetadata().getAnnotations()).containsKey(Annotations.PREDICTED);
    }

    @Test
    void remembersAfterARestartWhatItPromised() {
        startBridge();
        agent.ifPresent(RunningAgent::close);
        agent = Optional.empty();
        try {
            pods.create(pod("first", 10));
            pods.create(pod("second", 10));
            pods.awaitPhase("first", "Running");
            pods.awaitPhase("second", "Running");

            bridge.kill();
            startBridge();
            pods.create(pod("third", 8));

            awaitFailedScheduling("third", "NUMA: no zone can take 8 cpu");
            assertThat(cluster.journal().count("TopologyAffinityError")).isZero();
        } finally {
            agent = Optional.of(RunningAgent.startProcess(cluster.node("n"), accounts.agent("n"), directory));
        }
    }

    @Test
    void holdsPodsWhileTheZonesAreGone() {
        startBridge();
        agent.ifPresent(RunningAgent::close);
        agent = Optional.empty();
        try {
            cluster.client().raw(TOPOLOGIES + "/n", "DELETE", null);
            await("the bridge has no zones")
                    .atMost(TIMEOUT)
                    .until(() -> bridge.get("/metrics").body().contains(UNKNOWN_ZONES));
            pods.create(pod("wide", 20));
            pods.create(pod("held", 4));

            awaitFailedScheduling("wide", "NUMA: waits for the node's zones");
            awaitFailedScheduling("held", "NUMA: waits for the node's zones");
        } finally {
            agent = Optional.of(RunningAgent.startProcess(cluster.node("n"), accounts.agent("n"), directory));
        }
        pods.awaitPhase("held", "Running");
        assertThat(cluster.journal().count("TopologyAffinityError")).isZero();
        assertThat(pods.get("wide").getSpec().getNodeName()).isNull();
    }

    @Test
    void theDefaultBinderNeverTakesOverABindThatTheBridgeRefuses() throws IOException {
        startBridge();
        pods.create(pod("first", 10));
        pods.create(pod("second", 10));
        pods.awaitPhase("first", "Running");
        pods.awaitPhase("second", "Running");
        try (PermissiveProxy front = new PermissiveProxy(bridge);
                ChildProcess lenient = scheduler(
                        "lenient",
                        SchedulerConfig.text(
                                front.url(), "lenient", Optional.of(cluster.kubeconfig()), Optional.empty(), false))) {
            pods.create(pod("third", 8).scheduledBy("lenient"));

            await("the bind was refused, twice")
                    .atMost(TIMEOUT)
                    .until(() -> front.refusals().size() >= 2);
            awaitFailedScheduling("third", "node n does not fit the pod any more: no zone can take 8 cpu");
            assertThat(lenient.isAlive()).isTrue();
            assertThat(cluster.journal().count("TopologyAffinityError")).isZero();
        }
    }

    @Test
    void isNotAskedWithoutACertificateThatIsTrusted() throws IOException {
        bridge.kill();
        Path other = Files.createDirectory(directory.resolve("other"));
        try (BridgeProcess impostor = bridge.with(BridgeCertificates.make(other))) {
            impostor.start();
            pods.create(pod("careful", 1));

            awaitFailedScheduling("careful", "failed to verify certificate");
        }

        startBridge();
        pods.awaitPhase("careful", "Running");
    }
}
