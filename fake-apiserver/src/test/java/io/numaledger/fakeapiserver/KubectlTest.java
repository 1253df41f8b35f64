package io.numaledger.fakeapiserver;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A real kubectl against the embedded server. */
class KubectlTest {

    @TempDir
    Path directory;

    private EmbeddedApiServer server;
    private Path kubectl;

    @BeforeEach
    void start() throws IOException {
        String binaries = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(binaries != null, "KUBEBUILDER_ASSETS does not name a directory with kubectl");
        kubectl = Path.of(binaries, "kubectl");
        assumeTrue(Files.isExecutable(kubectl), "KUBEBUILDER_ASSETS has no kubectl: " + binaries);
        server = EmbeddedApiServer.start();
        server.writeKubeconfig(directory.resolve("kubeconfig"));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void appliesChangesAndDeletesAPod() throws Exception {
        Path file = pod("one");

        assertThat(run("apply", "-f", file.toString())).isEqualTo("pod/p created");
        assertThat(run("apply", "-f", file.toString())).isEqualTo("pod/p unchanged");
        assertThat(run("apply", "-f", pod("two").toString())).isEqualTo("pod/p configured");
        assertThat(run("apply", "--server-side", "--force-conflicts", "-f", file.toString()))
                .isEqualTo("pod/p serverside-applied");
        assertThat(run("annotate", "pod", "p", "a=b")).isEqualTo("pod/p annotated");
        assertThat(run("patch", "pod", "p", "-p", "{\"metadata\":{\"labels\":{\"x\":\"y\"}}}"))
                .isEqualTo("pod/p patched");
        assertThat(run("get", "pod", "p", "-o", "jsonpath={.metadata.annotations.a} {.spec.containers[0].image}"))
                .isEqualTo("b one");
        assertThat(run("get", "pods", "-l", "x in (y)", "-o", "name")).isEqualTo("pod/p");
        assertThat(run("describe", "pod", "p")).contains("QoS Class:", "BestEffort", "Status:", "Pending");
        assertThat(run("delete", "pod", "p")).startsWith("pod \"p\" deleted");
        assertThat(run("get", "all")).isEqualTo("No resources found in default namespace.");
    }

    @Test
    void seesTheTopologyByItsShortName() throws Exception {
        Path file = Files.writeString(directory.resolve("nrt.yaml"), """
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: n1}
                zones:
                  - name: node-0
                    type: Node
                    resources: [{name: cpu, capacity: "8", allocatable: "8", available: "3"}]
                """);

        assertThat(run("apply", "-f", file.toString()))
                .isEqualTo("noderesourcetopology.topology.node.k8s.io/n1 created");
        assertThat(run("get", "node-res-topo", "n1", "-o", "jsonpath={.zones[0].resources[0].available}"))
                .isEqualTo("3");
        assertThat(run("get", "crd", "-o", "name"))
                .isEqualTo("customresourcedefinition.apiextensions.k8s.io/noderesourcetopologies.topology.node.k8s.io");
        assertThat(run("describe", "node-res-topo", "n1")).contains("Available:", "node-0");
    }

    @Test
    void printsTables() throws Exception {
        run("apply", "-f", pod("one").toString());
        Path file = Files.writeString(directory.resolve("more.yaml"), """
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: n1}
                attributes:
                  - {name: topologyManagerPolicy, value: single-numa-node}
                  - {name: topologyManagerScope, value: pod}
                zones: []
                ---
                apiVersion: v1
                kind: Event
                metadata: {name: e, namespace: default}
                involvedObject: {kind: Pod, name: p, namespace: default}
                type: Warning
                reason: FailedScheduling
                message: no node fits
                """);
        run("apply", "-f", file.toString());

        assertThat(run("get", "pods")).matches("(?s)NAME +READY +STATUS +RESTARTS +AGE\\s+p +0/1 +Pending +0 +\\d+s");
        assertThat(run("get", "pods", "-o", "wide")).contains("NODE").contains("<none>");
        assertThat(run("get", "node-res-topo"))
                .matches("(?s)NAME +POLICY +SCOPE +AGE\\s+n1 +single-numa-node +pod +\\d+s");
        assertThat(run("get", "events"))
                .matches(
                        "(?s)LAST SEEN +TYPE +REASON +OBJECT +MESSAGE\\s+<unknown> +Warning +FailedScheduling +pod/p +no node fits");
    }

    @Test
    void refusesAnUnknownField() throws Exception {
        Path file = Files.writeString(directory.resolve("nrt.yaml"), """
                apiVersion: topology.node.k8s.io/v1alpha2
                kind: NodeResourceTopology
                metadata: {name: n1}
                zonez: []
                zones: []
                """);

        assertThat(run("apply", "-f", file.toString())).contains("unknown field \"zonez\"");
    }

    @Test
    void watches() throws Exception {
        run("apply", "-f", pod("one").toString());
        Path seen = directory.resolve("seen");
        Process watch = new ProcessBuilder(command("get", "pods", "--watch", "-o", "name"))
                .redirectOutput(seen.toFile())
                .start();
        try {
            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> Files.readString(seen).equals("pod/p\n"));
            run("annotate", "pod", "p", "a=b");
            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> Files.readString(seen).equals("pod/p\npod/p\n"));
        } finally {
            watch.destroy();
        }
    }

    private Path pod(String image) throws IOException {
        return Files.writeString(directory.resolve(image + ".yaml"), """
                apiVersion: v1
                kind: Pod
                metadata: {name: p, labels: {app: k}}
                spec: {containers: [{name: c, image: %s, env: [{name: A, value: "1"}]}]}
                """.formatted(image));
    }

    private String run(String... arguments) throws IOException, InterruptedException {
        Process process =
                new ProcessBuilder(command(arguments)).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
        return output.strip();
    }

    private List<String> command(String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                kubectl.toString(),
                "--kubeconfig=" + directory.resolve("kubeconfig"),
                "--cache-dir=" + directory.resolve("cache")));
        command.addAll(List.of(arguments));
        return command;
    }
}
