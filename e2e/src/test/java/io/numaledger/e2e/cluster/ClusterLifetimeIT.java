package io.numaledger.e2e.cluster;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.e2e.support.RealKubernetes;
import io.numaledger.simulator.SimulatorMain;
import io.numaledger.simulator.cluster.SimCluster;
import io.numaledger.simulator.workload.SimplePod;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/** A cluster in the background lives until somebody ends it, and leaves nothing when it is killed. */
class ClusterLifetimeIT {

    private static final Duration AWHILE = Duration.ofMinutes(3);

    @TempDir
    private Path temporary;

    private final StringWriter said = new StringWriter();
    private String assets;
    private Path nodes;
    private Path directory;
    private String owner = "";

    @BeforeEach
    void writeNodes() throws IOException {
        assets = RealKubernetes.binaries().directory().toString();
        directory = temporary.resolve("sim");
        nodes = Files.writeString(temporary.resolve("nodes.yaml"), """
                nodes:
                - name: tiny
                  kubelet: {topologyManagerPolicy: single-numa-node, cpuManagerPolicy: static, reservedSystemCPUs: "0"}
                  numaNodes: [{id: 0, cores: 2, memory: 4Gi}]
                """);
    }

    @AfterEach
    void down() {
        execute("down");
    }

    private int execute(String command, String... further) {
        CommandLine line =
                SimulatorMain.commandLine().setOut(new PrintWriter(said, true)).setErr(new PrintWriter(said, true));
        List<String> arguments = new ArrayList<>(List.of(command, "--dir", directory.toString()));
        arguments.addAll(List.of(further));
        return line.execute(arguments.toArray(String[]::new));
    }

    private int up(String... flags) {
        List<String> arguments = new ArrayList<>(List.of("--kube-assets", assets, "-f", nodes.toString()));
        arguments.addAll(List.of(flags));
        return execute("up", arguments.toArray(String[]::new));
    }

    @Test
    void isUpShownAndEnded() throws IOException {
        assertThat(up()).as(said.toString()).isZero();
        assertThat(said.toString())
                .contains("export KUBECONFIG=" + directory.resolve("admin.kubeconfig"))
                .contains("./numaledger agent run --kubeconfig ", " --node-name tiny ");
        assertThat(execute("status")).isZero();
        assertThat(said.toString()).containsPattern("tiny +yes +v1\\.");
        assertThat(up()).isOne();
        assertThat(said.toString()).contains("a simulated cluster runs there: dir=" + directory);

        assertThat(cgroups().isEmpty())
                .as("there are cgroups for kubelets where this machine allows it")
                .isEqualTo(SimCluster.cgroupObstacle().isPresent());

        Process user = new ProcessBuilder("sh", "-c", "sleep 600; true", directory + "/admin.kubeconfig").start();

        assertThat(execute("down")).isZero();

        assertThat(user.isAlive()).isTrue();
        user.descendants().forEach(ProcessHandle::destroyForcibly);
        user.onExit().join();
        assertThat(processes()).isEmpty();
        assertThat(cgroups()).isEmpty();
        assertThat(directory).doesNotExist();
        assertThat(execute("status")).isOne();
        assertThat(said.toString()).contains("no cluster runs there: dir=" + directory);
    }

    @Test
    void keepsTheLogsOfAClusterThatDoesNotComeUp() throws IOException {
        Files.writeString(nodes, """
                nodes:
                - name: tiny
                  kubelet: {reservedSystemCPUs: "99"}
                  numaNodes: [{id: 0, cores: 2, memory: 4Gi}]
                """);

        assertThat(up()).isOne();

        Path log = directory.resolve("sim.log");
        assertThat(said.toString())
                .contains(
                        "the cluster did not come up: log=%s; its files stay until the next sim up or sim down; read the end"
                                .formatted(log),
                        "a kubelet has ended: node=tiny",
                        "reserved-cpus: 99 is not a subset of online-cpus")
                .doesNotContain("Exception", "\tat ");
        assertThat(log).exists();
        assertThat(directory.resolve("n/tiny/kubelet-1.log")).exists();
        assertThat(processes()).isEmpty();
        execute("down");
        assertThat(directory).doesNotExist();
    }

    @Test
    void takesSimulatedNodesWithTheirAgents() throws IOException, InterruptedException {
        assertThat(up()).as(said.toString()).isZero();
        Path kubeconfig = directory.resolve("admin.kubeconfig");
        Path simulated = Files.writeString(temporary.resolve("simulated.yaml"), """
                nodes:
                - name: simulated
                  kubelet: {topologyManagerPolicy: single-numa-node, cpuManagerPolicy: static, reservedSystemCPUs: "0"}
                  numaNodes:
                  - {id: 0, socket: 0, cores: 4, memory: 4Gi}
                  - {id: 1, socket: 1, cores: 4, memory: 4Gi}
                """);
        try (KubernetesClient client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
                .build()) {
            Process nodes = startNodes(kubeconfig, simulated);
            try {
                // Neither zone has six CPUs, but the node has: the scheduler does not see that, and the kubelet
                // refuses.
                client.resource(SimplePod.named("wide")
                                .with("c", "cpu=6", "memory=1Gi")
                                .build())
                        .create();
                client.resource(SimplePod.named("fits")
                                .with("c", "cpu=4", "memory=1Gi")
                                .build())
                        .create();

                await().atMost(AWHILE).untilAsserted(() -> {
                    assertThat(pod(client, "wide").getStatus().getReason()).isEqualTo("TopologyAffinityError");
                    assertThat(pod(client, "fits").getMetadata().getAnnotations())
                            .containsEntry(
                                    "kai.scheduler/numa-placement-observed",
                                    "[{\"zone\":\"node-1\",\"amount\":{\"cpu\":\"4\",\"memory\":\"1073741824\"}}]");
                });
            } finally {
                nodes.destroy();
                assertThat(nodes.waitFor(AWHILE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            }
            assertThat(client.nodes().list().getItems())
                    .extracting(node -> node.getMetadata().getName())
                    .containsExactly("tiny");
            assertThat(ProcessHandle.allProcesses()
                            .filter(process ->
                                    process.info().commandLine().orElse("").contains("--node-name=simulated")))
                    .isEmpty();
        }
    }

    private Process startNodes(Path kubeconfig, Path simulated) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        SimulatorMain.class.getName(),
                        "nodes",
                        "--kubeconfig=" + kubeconfig,
                        "-f",
                        simulated.toString())
                .redirectErrorStream(true)
                .redirectOutput(temporary.resolve("nodes.log").toFile())
                .start();
    }

    private static Pod pod(KubernetesClient client, String name) {
        return client.pods().inNamespace("default").withName(name).get();
    }

    @Test
    void leavesNothingWhenItsProcessIsKilled() throws IOException {
        assertThat(up()).as(said.toString()).isZero();

        ProcessHandle.of(Long.parseLong(owner())).orElseThrow().destroyForcibly();

        await("kubelet and control plane have ended")
                .atMost(Duration.ofMinutes(3))
                .until(() -> processes().isEmpty() && cgroups().isEmpty());
        assertThat(Files.readString(Path.of("/proc/mounts"))).doesNotContain(directory.toString());
        assertThat(up()).as(said.toString()).isZero();
    }

    private String owner() throws IOException {
        if (Files.exists(directory.resolve("owner"))) {
            owner = Files.readString(directory.resolve("owner")).split(" ")[0];
        }
        return owner;
    }

    /** Those of the cluster's process. */
    private List<Path> cgroups() throws IOException {
        String prefix = "numaledger-%s-".formatted(owner());
        try (Stream<Path> all = Files.find(
                Path.of("/sys/fs/cgroup"),
                2,
                (path, attributes) -> path.getFileName().toString().startsWith(prefix))) {
            return all.toList();
        }
    }

    /** The command lines of what runs on the cluster's directory. */
    private List<String> processes() {
        return ProcessHandle.allProcesses()
                .map(process -> process.info().commandLine().orElse(""))
                .filter(line -> line.contains(directory + "/"))
                .toList();
    }
}
