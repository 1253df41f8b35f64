package io.numaledger.bridge.cli;

import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.TestCluster;
import io.numaledger.bridge.api.BridgeApi;
import io.numaledger.bridge.server.BridgeServer;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.BridgeServer.Tls;
import io.numaledger.fakeapiserver.EmbeddedApiServer;
import io.numaledger.fakeapiserver.SelfSignedCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;

/** The same answers from a dump, from a bridge at {@code --url}, and from a cluster behind {@code --kubeconfig}. */
class OnlineCommandsTest {

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";
    private static final String OBJECTS = ClusterYaml.node("free")
            + ClusterYaml.node("full")
            + ClusterYaml.running("a", "full", CPUS_4, "1-4")
            + ClusterYaml.running("b", "full", "cpu: \"1\", memory: 1Gi", "5");

    @TempDir
    private Path directory;

    private String run(String... arguments) {
        StringWriter out = new StringWriter();
        CommandLine line = BridgeCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        return line.execute(arguments) + "\n" + out;
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    private static BridgeServer bridge() throws IOException {
        return bridge(Optional.empty());
    }

    private static BridgeServer bridge(Optional<SSLContext> tls) throws IOException {
        TestCluster cluster = new TestCluster();
        cluster.apply(OBJECTS);
        BridgeApi api = new BridgeApi(cluster.state, Optional.empty());
        BridgeServer server = new BridgeServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                tls.map(context -> new Tls(context, any -> false)),
                Limits.DEFAULT,
                Map.of("/v1/nodes", api::nodes, "/v1/explain", api::explain, "/v1/whatif", api::whatif));
        server.start();
        return server;
    }

    @Test
    void explainsTheSameFromADumpABridgeAndACluster() throws IOException {
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        String dump = file("dump.yaml", OBJECTS);
        try (BridgeServer server = bridge();
                ListingApi cluster = new ListingApi(OBJECTS)) {
            String url = "http://127.0.0.1:" + server.address().getPort();
            String kubeconfig =
                    cluster.kubeconfig(directory.resolve("kubeconfig")).toString();
            for (String format : new String[] {"json", "table"}) {
                String offline = run("explain", "-f", pod, "-o", format, "--dump", dump);
                assertThat(offline).startsWith("0\n").contains("free").contains("TopologyAffinityError");
                assertThat(run("explain", "-f", pod, "-o", format, "--url", url))
                        .isEqualTo(offline);
                assertThat(run("explain", "-f", pod, "-o", format, "--kubeconfig", kubeconfig))
                        .isEqualTo(offline);
            }
        }
    }

    @Test
    void showsTheSameNodesFromADumpABridgeAndACluster() throws IOException {
        String dump = file("dump.yaml", OBJECTS);
        try (BridgeServer server = bridge();
                ListingApi cluster = new ListingApi(OBJECTS)) {
            String url = "http://127.0.0.1:" + server.address().getPort();
            String kubeconfig =
                    cluster.kubeconfig(directory.resolve("kubeconfig")).toString();
            for (String format : new String[] {"json", "table"}) {
                String offline = run("nodes", "-o", format, "--dump", dump);
                assertThat(offline).startsWith("0\n").contains("default/a");
                assertThat(run("nodes", "-o", format, "--url", url)).isEqualTo(offline);
                assertThat(run("nodes", "-o", format, "--kubeconfig", kubeconfig))
                        .isEqualTo(offline);
            }
        }
    }

    @Test
    void asksABridgeWhatIfAPodHadEnded() throws IOException {
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        String dump = file("dump.yaml", OBJECTS);
        try (BridgeServer server = bridge()) {
            String url = "http://127.0.0.1:" + server.address().getPort();
            for (String[] which : new String[][] {{"-f", pod}, {"default/b"}}) {
                String[] question = Stream.concat(
                                Stream.of("whatif", "--evict", "default/a", "-o", "json"), Stream.of(which))
                        .toArray(String[]::new);
                assertThat(run(with(question, "--url", url)))
                        .startsWith("0\n{")
                        .isEqualTo(run(with(question, "--dump", dump)));
            }
        }
    }

    private static String[] with(String[] arguments, String... more) {
        return Stream.concat(Stream.of(arguments), Stream.of(more)).toArray(String[]::new);
    }

    @Test
    void verifiesTheCertificateOfABridgeWithItsOwnCa() throws Exception {
        SelfSignedCertificate certificate = SelfSignedCertificate.create(directory.resolve("keys"));
        String ca = file("ca.crt", certificate.certificate());
        try (BridgeServer server = bridge(Optional.of(certificate.server()))) {
            String url = "https://127.0.0.1:" + server.address().getPort();
            assertThat(run("nodes", "--url", url, "--ca-file", ca)).startsWith("0\nfree ");
            assertThat(run("nodes", "--url", url))
                    .startsWith("2\ncannot verify the bridge's certificate: url=" + url)
                    .contains("give its CA with --ca-file");
            assertThat(run("nodes", "--url", url, "--ca-file", file("rubbish.crt", "rubbish")))
                    .startsWith("2\ncannot use the CA bundle: file=");
        }
    }

    @Test
    void reportsABridgeThatDoesNotAnswer() throws IOException {
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "-f", pod, "--url", "http://127.0.0.1:1"))
                .startsWith("2\ncannot reach the bridge: url=http://127.0.0.1:1: ")
                .contains("; check the address and that it runs");
    }

    @Test
    void namesTheReasonInOneLineIfTheClusterCannotBeRead() throws IOException {
        try (EmbeddedApiServer server = EmbeddedApiServer.start()) {
            String kubeconfig =
                    server.writeKubeconfig(directory.resolve("kubeconfig")).toString();
            server.access().deny("list", "pods");

            assertThat(run("nodes", "--kubeconfig=" + kubeconfig))
                    .startsWith("2\ncannot read the cluster: url=" + server.url())
                    .contains("pods is forbidden")
                    .hasLineCount(2);
            server.close();
            assertThat(run("nodes", "--kubeconfig=" + kubeconfig))
                    .startsWith("2\nthe API server cannot be reached: url=" + server.url())
                    .contains(": connection refused; check the address")
                    .hasLineCount(2);
        }
        assertThat(run("run", "--insecure-http", "--kubeconfig=" + directory.resolve("none")))
                .startsWith("1\ncannot use the kubeconfig: file=" + directory.resolve("none"))
                .hasLineCount(2);
        assertThat(run("nodes", "--kubeconfig=" + directory.resolve("none")))
                .startsWith("2\ncannot use the kubeconfig: file=" + directory.resolve("none"))
                .hasLineCount(2);
        assertThat(run("nodes", "--kubeconfig=" + file("broken", "{{{")))
                .startsWith("2\ncannot use the kubeconfig: file=")
                .hasLineCount(2);
    }

    @Test
    void namesAnApiServerThatAcceptsAndDoesNotAnswer() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String url = "http://127.0.0.1:" + silent.getLocalPort();
            String kubeconfig = file("silent", """
                    apiVersion: v1
                    kind: Config
                    clusters: [{name: c, cluster: {server: "%s"}}]
                    users: [{name: u, user: {}}]
                    contexts: [{name: x, context: {cluster: c, user: u}}]
                    current-context: x
                    """.formatted(url));

            assertThat(run("nodes", "--kubeconfig=" + kubeconfig))
                    .startsWith("2\nthe API server cannot be reached: url=" + url)
                    .hasLineCount(2);
        }
    }

    @Test
    void usesAvailableAmountsIfConfigured() throws IOException {
        String used = ClusterYaml.node("n")
                .replace(
                        "{name: cpu, capacity: \"4\", allocatable: \"4\", available: \"4\"}",
                        "{name: cpu, capacity: \"4\", allocatable: \"4\", available: \"1\"}");
        String dump = file("dump.yaml", used);
        assertThat(run("nodes", "-o", "json", "--dump", dump)).contains("{\"zone\":\"node-1\",\"free\":{\"cpu\":\"4\"");
        assertThat(run("nodes", "-o", "json", "--dump", dump, "--trust-nrt-available"))
                .contains("{\"zone\":\"node-1\",\"free\":{\"cpu\":\"1\"")
                .contains("\"confidence\":\"aggregate\"");
    }

    @Test
    void doesNotAlignIgnoredResources() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4 + ", nvidia.com/gpu: \"2\"", "", "", ""));
        assertThat(run("explain", "-f", pod, "-o", "json", "--dump", dump)).contains("\"fits\":false");
        assertThat(run("explain", "-f", pod, "-o", "json", "--dump", dump, "--ignore-resources", "nvidia.com/gpu"))
                .contains("\"fits\":true")
                .contains("\"amount\":{\"cpu\":\"4\"}");
    }
}
