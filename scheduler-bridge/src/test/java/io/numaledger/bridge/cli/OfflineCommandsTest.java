package io.numaledger.bridge.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.numaledger.bridge.ClusterYaml;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class OfflineCommandsTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private static final String CPUS_4 = "cpu: \"4\", memory: 1Gi";

    @TempDir
    private Path directory;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = BridgeCommand.commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    /** @param text JSON, or YAML for short */
    private static JsonNode json(String text) {
        try {
            return YAML.readTree(text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    @Test
    void explainsAsOneJsonObjectPerLine() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("full")
                        + ClusterYaml.node("free")
                        + ClusterYaml.running("a", "full", CPUS_4, "1-4")
                        + ClusterYaml.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4 + ", nvidia.com/gpu: \"1\"", "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod, "-o", "json")).isZero();
        assertThat(out.toString().lines().map(OfflineCommandsTest::json))
                .containsExactly(
                        json("{node: free, fits: true, reason: null, zones: [node-0],"
                                + " placement: [{zone: node-0, amount: {cpu: '4', nvidia.com/gpu: '1'}}]}"),
                        json("{node: full, fits: false, reason: TopologyAffinityError, zones: [], placement: []}"));
    }

    @Test
    void explainsWithTheSmallestChangeThatHelps() throws IOException {
        String dump = file(
                "dump.yaml",
                ClusterYaml.node("full")
                        + ClusterYaml.running("a", "full", CPUS_4, "1-4")
                        + ClusterYaml.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"));
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod)).isZero();
        assertThat(out.toString())
                .contains("no   TopologyAffinityError")
                .contains("needs 4 cpu on 1 zone; node-1 has 3 free, held by default/b")
                .contains("the pod would fit without default/a");
    }

    @Test
    void showsNodesLikeTheApi() throws IOException {
        String dump = file("dump.yaml", ClusterYaml.node("n") + ClusterYaml.running("a", "n", CPUS_4, "1-4"));
        assertThat(run("nodes", "--dump", dump, "-o", "json")).isZero();
        JsonNode node = json(out.toString());
        assertThat(node.path("node").asText()).isEqualTo("n");
        assertThat(node.path("confidence").asText()).isEqualTo("exact");
        assertThat(node.path("confidenceReason").asText()).isEmpty();
        assertThat(node.path("zones").path(0).path("free")).isEqualTo(json("{cpu: '0', nvidia.com/gpu: '1'}"));
        assertThat(node.path("pods").path(0).path("pod").asText()).isEqualTo("default/a");
        assertThat(node.path("pods").path(0).path("source").asText()).isEqualTo("observed");
    }

    @Test
    void readsAListOfJsonAsKubectlPrintsIt() throws IOException {
        String node = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"bare\"},\"status\":{}}";
        String dump = file("dump.json", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + node + "]}");
        String pod = file("pod.yaml", ClusterYaml.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--dump", dump, "-f", pod, "-o", "json")).isZero();
        assertThat(json(out.toString()))
                .isEqualTo(json("{node: bare, fits: true, reason: null, zones: [], placement: []}"));
    }

    @Test
    void reportsErrorsInOneLine() throws IOException {
        String deployment = file("deployment.yaml", "kind: Deployment\nmetadata: {name: x}\n");
        String dump = file("dump.yaml", ClusterYaml.node("n"));
        assertThat(run("explain", "--dump", dump, "-f", deployment)).isEqualTo(1);
        assertThat(err.toString()).startsWith("not a Pod: kind='Deployment'; use one object of kind Pod");
        assertThat(run("nodes", "--dump", "nowhere.yaml")).isEqualTo(1);
        assertThat(err.toString())
                .contains("cannot read the dump: file=nowhere.yaml does not exist; create one with kubectl get");
    }

    @Test
    void printsASchedulerConfigurationWhoseExtenderIsNotIgnorable() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--scheduler-name", "numa"))
                .isZero();
        assertThat(out.toString()).isEqualTo("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                # Every unsuccessful attempt may cost a call to the API server.
                clientConnection:
                  qps: 500
                  burst: 1000
                leaderElection:
                  leaderElect: true
                  # Not the lease of the cluster's own scheduler.
                  resourceName: "numa"
                # The extender must see all feasible nodes, not a sample of them.
                percentageOfNodesToScore: 100
                # Zones stay reserved for a pending pod until kube-scheduler retries it.
                podMaxBackoffSeconds: 2
                profiles:
                - schedulerName: "numa"
                extenders:
                - urlPrefix: "https://bridge:9443"
                  filterVerb: filter
                  prioritizeVerb: prioritize
                  bindVerb: bind
                  weight: 10
                  nodeCacheCapable: true
                  ignorable: false
                  httpTimeout: 10s
                  enableHTTPS: true
                  tlsConfig:
                    insecure: false
                """);
    }

    @Test
    void sharesTheLeaseOfTheClustersOwnSchedulerOnlyUnderItsName() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443")).isZero();
        assertThat(out.toString()).contains("leaderElect: true\n").doesNotContain("resourceName");
    }

    @Test
    void skipsTheVerificationOfTheBridgeOnlyIfAskedTo() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--insecure-skip-tls-verify"))
                .isZero();
        assertThat(out.toString()).contains("tlsConfig:\n    insecure: true\n");
    }

    @Test
    void requiresACertificateUnlessPlainHttpIsSet() {
        assertThat(run("run", "--listen", "127.0.0.1:0")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--tls-cert and --tls-key are missing");
    }

    @Test
    void rejectsANegativeTime() {
        assertThat(run("run", "--insecure-http", "--hold-after", "-1s")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--hold-after is negative; use 0s (never) or more");
    }
}
