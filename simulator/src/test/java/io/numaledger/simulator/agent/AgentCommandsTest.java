package io.numaledger.simulator.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.agent.cleanup.CleanupCommand;
import io.numaledger.agent.doctor.DoctorCommand;
import io.numaledger.simulator.apiserver.EmbeddedApiServer;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;

/** {@code agent doctor} and {@code agent cleanup} against the embedded API server. */
class AgentCommandsTest {

    private static final String NRT = "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies";

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private ApiServer api;
    private Path kubeconfig;
    private int status;

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        kubeconfig = server.writeKubeconfig(directory.resolve("kubeconfig"));
        api = ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(100, 100, System::nanoTime));
        for (String node : new String[] {"a", "b"}) {
            api.post("/api/v1/nodes", """
                    {"apiVersion":"v1","kind":"Node","metadata":{"name":"%s","annotations":{"numaledger.io/x":"1","other/x":"1"}}}""".formatted(node), json -> null);
            api.post("/api/v1/namespaces/default/pods", """
                    {"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-%s","annotations":{
                     "kai.scheduler/numa-placement-observed":"[]","numaledger.io/placement":"{}","other/x":"1"}},
                     "spec":{"nodeName":"%s","containers":[{"name":"c","image":"i"}]}}""".formatted(node, node), json -> null);
            topology(node, "numaledger-agent");
        }
        topology("foreign", "another");
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    private void topology(String name, String manager) throws IOException {
        api.patch(
                NRT + "/" + name + "?force=true&fieldManager=" + manager,
                ApiServer.APPLY_PATCH,
                """
                {"apiVersion":"topology.node.k8s.io/v1alpha2","kind":"NodeResourceTopology","metadata":{"name":"%s"},"zones":[]}""".formatted(name),
                json -> null);
    }

    @Test
    void cleanupOfANodeLeavesTheOthersAlone() throws IOException {
        assertThat(run(new CleanupCommand(), "--node-name=a"))
                .hasLineCount(3)
                .contains("noderesourcetopology a: deleted");

        assertThat(names(NRT)).isEqualTo("b foreign ");
        assertThat(annotations("/api/v1/namespaces/default/pods/pod-a")).hasToString("{\"other/x\":\"1\"}");
        assertThat(annotations("/api/v1/nodes/a")).hasToString("{\"other/x\":\"1\"}");
        assertThat(annotations("/api/v1/namespaces/default/pods/pod-b")).hasSize(3);
        assertThat(annotations("/api/v1/nodes/b")).hasSize(2);
    }

    @Test
    void cleanupOfAllLeavesWhatOthersWrote() throws IOException {
        assertThat(run(new CleanupCommand(), "--all")).contains("noderesourcetopology foreign: left, others wrote it");

        assertThat(names(NRT)).isEqualTo("foreign ");
        assertThat(annotations("/api/v1/namespaces/default/pods/pod-b")).hasSize(1);
    }

    @Test
    void aDryCleanupRemovesNothing() throws IOException {
        long before = server.resourceVersion();

        assertThat(run(new CleanupCommand(), "--all", "--dry-run")).contains("noderesourcetopology b: deleted");

        assertThat(server.resourceVersion()).isEqualTo(before);
    }

    @Test
    void cleanupWantsToKnowOfWhat() {
        run(new CleanupCommand());

        assertThat(status).isEqualTo(2);
    }

    @Test
    void theDoctorSaysWhatIsMissingAndWhatToDo() throws IOException {
        server.access().deny("watch", "pods");
        server.access().deny("patch", "pods");
        HardwareTree.write(NodeSpecYaml.parse("""
                nodes:
                - name: a
                  numaNodes:
                  - {id: 0, cores: 2, memory: 1Gi}
                  - {id: 1, cores: 2, memory: 1Gi}
                """).get(0), directory.resolve("hardware"));

        String found = run(
                new DoctorCommand(),
                "--node-name=a",
                "--sysfs-root=" + directory.resolve("hardware/sys"),
                "--podresources-socket=" + directory.resolve("none.sock"),
                "--topology-manager-policy=restricted",
                "--cpu-manager-policy=none");

        assertThat(status).isEqualTo(1);
        assertThat(found.lines())
                .contains(
                        "fail  podresources    the kubelet's podresources socket is missing: socket="
                                + directory.resolve("none.sock")
                                + "; start the kubelet, or mount the socket's directory",
                        "ok    hardware        NUMA nodes: 2",
                        "ok    right           list pods",
                        "warn  right           watch pods is not granted: the kubelet is polled once a second; grant it in the agent's ClusterRole",
                        "fail  right           patch pods is not granted: no placement is written on pods; grant it in the agent's ClusterRole",
                        "ok    NRT definition  the API server knows noderesourcetopologies",
                        "warn  configz         the kubelet's address is not known: node=a has no InternalIP; give --kubelet-address",
                        "ok    kubelet config  topologyManagerPolicy=restricted",
                        "warn  kubelet config  cpuManagerPolicy=none: the Topology Manager aligns no CPUs; set static, and reservedSystemCPUs");
    }

    @Test
    void theDoctorSaysThatTheDefinitionIsMissing() throws IOException {
        HttpServer knowsNothing = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        knowsNothing.createContext("/", exchange -> {
            exchange.sendResponseHeaders(404, -1);
            exchange.close();
        });
        knowsNothing.start();
        try {
            Files.writeString(
                    kubeconfig,
                    Files.readString(kubeconfig)
                            .replace(
                                    server.url().toString(),
                                    "http://127.0.0.1:"
                                            + knowsNothing.getAddress().getPort()));
            assertThat(run(new DoctorCommand(), "--node-name=a", "--podresources-socket=" + directory.resolve("none")))
                    .contains(
                            "fail  NRT definition  the API server does not know noderesourcetopologies of topology.node.k8s.io/v1alpha2; install the chart's crds");
        } finally {
            knowsNothing.stop(0);
        }
    }

    private String run(Object command, String... flags) {
        StringWriter out = new StringWriter();
        CommandLine line = new CommandLine(command).setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
        String[] all = java.util.Arrays.copyOf(flags, flags.length + 1);
        all[flags.length] = "--kubeconfig=" + kubeconfig;
        status = line.execute(all);
        return out.toString();
    }

    private String names(String path) throws IOException {
        StringBuilder names = new StringBuilder();
        read(path)
                .get("items")
                .forEach(
                        item -> names.append(item.at("/metadata/name").asText()).append(' '));
        return names.toString();
    }

    private JsonNode annotations(String path) throws IOException {
        return read(path).at("/metadata/annotations");
    }

    private JsonNode read(String path) throws IOException {
        return api.get(path, new ObjectMapper()::readTree);
    }
}
