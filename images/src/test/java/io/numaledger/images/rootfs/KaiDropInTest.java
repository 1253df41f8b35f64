package io.numaledger.images.rootfs;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.ReportLag;
import io.numaledger.simulator.node.SimulatedNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * The agent's root file system where KAI's operator runs its exporter: read-only, with the operator's arguments, environment and
 * mounts, the right to get, list and patch pods, and a tenth of a CPU.
 */
class KaiDropInTest {

    /** What it may use in 30 seconds, the goal on an idle machine; on a busy one the same work costs up to twice as much. */
    private static final Duration TENTH_OF_30_SECONDS = Duration.ofSeconds(3);

    private static final Path CGROUP_V1 = Path.of("/sys/fs/cgroup/cpu");
    private static final Path CGROUP_V2 = Path.of("/sys/fs/cgroup");

    @TempDir
    private Path directory;

    @Test
    void writesAnnotationsWithin30SecondsOnATenthOfACpu() throws IOException, InterruptedException {
        Optional<Path> given =
                Optional.ofNullable(System.getenv("NUMALEDGER_ROOTFS")).map(Path::of);
        Optional<String> missing = given.isPresent() ? Optional.empty() : BuiltRoot.missing();
        assumeTrue(missing.isEmpty(), () -> "skipped: " + missing.orElse(""));
        Optional<Path> limited = limitedGroup();
        assumeTrue(limited.isPresent(), "skipped: no cgroup with a CPU quota can be made here; run as root");
        NodeSpec spec = NodeSpecYaml.parse("""
                nodes:
                - name: kai
                  numaNodes:
                  - {id: 0, cores: 4, memory: 8Gi}
                  - {id: 1, cores: 4, memory: 8Gi}
                """).get(0);
        HardwareTree.write(spec, directory.resolve("hardware"));
        Path socket =
                Files.createDirectories(directory.resolve("pod-resources")).resolve("kubelet.sock");
        try (EmbeddedApiServer server = EmbeddedApiServer.start()) {
            Path root = given.isPresent() ? given.get() : BuiltRoot.of("agent");
            Path kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
            try (KubernetesClient client = new KubernetesClientBuilder()
                            .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                            .build();
                    SimulatedNode node = new SimulatedNode(client, spec, socket, ReportLag.none())) {
                client.resource(guaranteed()).create();
                await().atMost(Duration.ofMinutes(3))
                        .until(() -> "Running".equals(pod(client).getStatus().getPhase()));
                // From here on the agent is the only one without a token of the administrator.
                asAgent(kubeconfig);
                server.faults()
                        .always(
                                request -> request.user().equals("agent") && !isGranted(request),
                                Fault.ErrorResponse.forbidden());
                long begin = System.nanoTime();
                Process agent = start(root, limited.get());
                try {
                    await().atMost(Duration.ofMinutes(3))
                            .until(() -> annotation(client).isPresent());
                    Duration used = agent.info().totalCpuDuration().orElseThrow();
                    System.out.printf(
                            "measured: annotated after %d ms and %d ms of CPU on a tenth of a CPU%n",
                            TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin), used.toMillis());
                    assertThat(used).isLessThan(TENTH_OF_30_SECONDS.multipliedBy(2));
                    assertThat(annotation(client))
                            .contains("[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"2\",\"memory\":\"1073741824\"}}]");
                    assertThat(agent.isAlive()).isTrue();
                } finally {
                    agent.destroy();
                    assertThat(agent.waitFor(3, TimeUnit.MINUTES)).isTrue();
                    System.out.println(Files.readString(directory.resolve("agent.log")));
                }
            }
        } finally {
            Files.delete(limited.get());
        }
    }

    private Process start(Path root, Path group) throws IOException {
        return new ContainedProgram(root)
                .in(group)
                .mount(directory.resolve("pod-resources"), ContainedProgram.POD_RESOURCES)
                .mount(directory.resolve("hardware").resolve("sys"), ContainedProgram.SYS)
                .mount(directory, ContainedProgram.ACCOUNT)
                .environment("NODE_NAME", "kai")
                .environment("KUBECONFIG", ContainedProgram.ACCOUNT + "/agent-kubeconfig")
                .process(List.of(
                        "@/agent.args",
                        "--podresources-socket=" + ContainedProgram.POD_RESOURCES + "/kubelet.sock",
                        "--sysfs-root=" + ContainedProgram.SYS))
                .redirectOutput(directory.resolve("agent.log").toFile())
                .start();
    }

    /** It may get, list and patch pods. */
    private static boolean isGranted(RecordedRequest request) {
        boolean verb = request.method().equals("PATCH") || (request.method().equals("GET") && !request.isWatch());
        return verb && request.path().matches("/api/v1/(namespaces/[^/]+/)?pods(/[^/]+)?");
    }

    /** The embedded server takes the token for the user's name. */
    private void asAgent(Path kubeconfig) throws IOException {
        Files.writeString(
                directory.resolve("agent-kubeconfig"),
                Files.readString(kubeconfig).replace("user: {}", "user: {token: agent}"));
    }

    private static Optional<Path> limitedGroup() {
        String name = "numaledger-test-" + ProcessHandle.current().pid();
        try {
            if (Files.isDirectory(CGROUP_V1)) {
                Path group = Files.createDirectory(CGROUP_V1.resolve(name));
                Files.writeString(group.resolve("cpu.cfs_period_us"), "100000");
                Files.writeString(group.resolve("cpu.cfs_quota_us"), "10000");
                return Optional.of(group);
            }
            Path group = Files.createDirectory(CGROUP_V2.resolve(name));
            Files.writeString(group.resolve("cpu.max"), "10000 100000");
            return Optional.of(group);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Pod guaranteed() {
        Map<String, Quantity> amounts = Map.of("cpu", new Quantity("2"), "memory", new Quantity("1Gi"));
        return new PodBuilder()
                .withNewMetadata()
                .withName("held")
                .withNamespace("default")
                .endMetadata()
                .withNewSpec()
                .withNodeName("kai")
                .addNewContainer()
                .withName("main")
                .withImage("example.com/app:1")
                .withNewResources()
                .withRequests(amounts)
                .withLimits(amounts)
                .endResources()
                .endContainer()
                .endSpec()
                .build();
    }

    private static Pod pod(KubernetesClient client) {
        return client.pods().inNamespace("default").withName("held").get();
    }

    private static Optional<String> annotation(KubernetesClient client) {
        return Optional.ofNullable(pod(client).getMetadata().getAnnotations())
                .map(all -> all.get(Annotations.OBSERVED));
    }
}
