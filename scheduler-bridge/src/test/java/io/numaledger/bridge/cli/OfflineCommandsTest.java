package io.numaledger.bridge.cli;

import io.numaledger.bridge.Cluster;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;

class OfflineCommandsTest {

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

    private String file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text).toString();
    }

    @Test
    void explainsOneObjectALine() throws IOException {
        String snapshot = file(
                "dump.yaml",
                Cluster.node("full")
                        + Cluster.node("free")
                        + Cluster.running("a", "full", CPUS_4, "1-4")
                        + Cluster.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"));
        String pod = file("pod.yaml", Cluster.pod("x", CPUS_4 + ", nvidia.com/gpu: \"1\"", "", "", ""));
        assertThat(run("explain", "--snapshot", snapshot, "-f", pod, "-o", "json"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "{\"node\":\"free\",\"fits\":true,\"reason\":null,\"zones\":[\"node-0\"],\"placement\":[{\"zone\":\"node-0\","
                                + "\"amount\":{\"cpu\":\"4\",\"nvidia.com/gpu\":\"1\"}}]}",
                        "{\"node\":\"full\",\"fits\":false,\"reason\":\"TopologyAffinityError\",\"zones\":[],\"placement\":[]}");
    }

    @Test
    void explainsForPeopleWithTheSmallestChangeThatHelps() throws IOException {
        String snapshot = file(
                "dump.yaml",
                Cluster.node("full")
                        + Cluster.running("a", "full", CPUS_4, "1-4")
                        + Cluster.running("b", "full", "cpu: \"1\", memory: 1Gi", "5"));
        String pod = file("pod.yaml", Cluster.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--snapshot", snapshot, "-f", pod)).isZero();
        assertThat(out.toString())
                .contains("no   TopologyAffinityError")
                .contains("needs 4 cpu on 1 zone; node-1 has 3 free, held by default/b")
                .contains("it would fit without default/a");
    }

    @Test
    void showsNodesAsTheApiDoes() throws IOException {
        String snapshot = file("dump.yaml", Cluster.node("n") + Cluster.running("a", "n", CPUS_4, "1-4"));
        assertThat(run("nodes", "--snapshot", snapshot, "-o", "json")).isZero();
        assertThat(out.toString())
                .startsWith("{\"node\":\"n\",\"confidence\":\"exact\",\"confidenceReason\":\"\"")
                .contains("{\"zone\":\"node-0\",\"free\":{\"cpu\":\"0\",\"nvidia.com/gpu\":\"1\"}")
                .contains("{\"pod\":\"default/a\",\"source\":\"observed\",\"terminating\":false");
    }

    @Test
    void readsAListOfJsonAsKubectlPrintsIt() throws IOException {
        String node = "{\"apiVersion\":\"v1\",\"kind\":\"Node\",\"metadata\":{\"name\":\"bare\"},\"status\":{}}";
        String snapshot = file("dump.json", "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[" + node + "]}");
        String pod = file("pod.yaml", Cluster.pod("x", CPUS_4, "", "", ""));
        assertThat(run("explain", "--snapshot", snapshot, "-f", pod, "-o", "json"))
                .isZero();
        assertThat(out.toString().strip())
                .isEqualTo("{\"node\":\"bare\",\"fits\":true,\"reason\":null,\"zones\":[],\"placement\":[]}");
    }

    @Test
    void saysWhatIsWrongInOneLine() throws IOException {
        String deployment = file("deployment.yaml", "kind: Deployment\nmetadata: {name: x}\n");
        String snapshot = file("dump.yaml", Cluster.node("n"));
        assertThat(run("explain", "--snapshot", snapshot, "-f", deployment)).isEqualTo(1);
        assertThat(err.toString()).startsWith("not a Pod: kind='Deployment'; give one object of kind Pod");
        assertThat(run("nodes", "--snapshot", "nowhere.yaml")).isEqualTo(1);
        assertThat(err.toString())
                .contains("cannot read the snapshot: file=nowhere.yaml does not exist; write one with kubectl get");
    }

    @Test
    void printsASchedulerConfigurationThatIsNeverIgnored() {
        assertThat(run("scheduler-config", "--url", "https://bridge:9443", "--scheduler-name", "numa"))
                .isZero();
        assertThat(out.toString()).isEqualTo("""
                apiVersion: kubescheduler.config.k8s.io/v1
                kind: KubeSchedulerConfiguration
                # Each pod that is tried in vain may cost a call to the API server.
                clientConnection:
                  qps: 500
                  burst: 1000
                leaderElection:
                  leaderElect: true
                # The extender must see every node that fits by counts, not a sample of them.
                percentageOfNodesToScore: 100
                # The longer a pod is not tried, the longer zones are held for it.
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
                    insecure: true
                """);
    }

    @Test
    void wantsACertificateUnlessPlainHttpIsAskedFor() {
        assertThat(run("run", "--listen", "127.0.0.1:0")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--tls-cert and --tls-key are missing");
    }

    @Test
    void refusesANegativeTime() {
        assertThat(run("run", "--insecure-http", "--hold-after-seconds", "-1")).isEqualTo(2);
        assertThat(err.toString()).startsWith("--hold-after-seconds is -1; expected 0 (never) or more");
    }
}
