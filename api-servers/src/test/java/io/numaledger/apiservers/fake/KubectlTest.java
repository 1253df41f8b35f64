package io.numaledger.apiservers.fake;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.nrt;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static io.numaledger.apiservers.fake.SampleObjects.zone;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** A real kubectl against the embedded server. */
class KubectlTest {

    @TempDir
    Path directory;

    private EmbeddedApiServer server;
    private Path kubectl;
    private ApiCalls api;

    @BeforeEach
    void start() throws IOException {
        String binaries = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(binaries != null, "KUBEBUILDER_ASSETS does not name a directory with kubectl");
        kubectl = Path.of(binaries, "kubectl");
        assumeTrue(Files.isExecutable(kubectl), "KUBEBUILDER_ASSETS has no kubectl: " + binaries);
        server = EmbeddedApiServer.start();
        server.writeKubeconfig(directory.resolve("kubeconfig"));
        api = new ApiCalls(server.url(), HttpClient.newHttpClient(), "admin");
        api.post(pods("default"), pod("p", "\"app\":\"k\""));
    }

    @AfterEach
    void stop() {
        if (server != null) {
            server.close();
        }
    }

    @Test
    void looksAroundAndDeletes() throws Exception {
        assertThat(run("get", "pods")).matches("NAME +AGE\\s+p +\\d+s");
        assertThat(run("get", "pods", "-l", "app in (k)", "-o", "name")).isEqualTo("pod/p");
        assertThat(run("describe", "pod", "p")).contains("QoS Class:", "BestEffort", "Status:", "Pending");
        assertThat(run("annotate", "pod", "p", "a=b")).isEqualTo("pod/p annotated");
        assertThat(run("get", "pod", "p", "-o", "jsonpath={.metadata.annotations.a}"))
                .isEqualTo("b");
        assertThat(run("delete", "pod", "p")).startsWith("pod \"p\" deleted");
        assertThat(run("get", "pods,events")).isEqualTo("No resources found in default namespace.");
    }

    @Test
    void seesTheTopologyByItsShortName() throws Exception {
        api.post(NRTS, nrt("n1", "\"zones\":[%s]".formatted(zone("node-0", "3"))));

        assertThat(run("get", "node-res-topo", "n1", "-o", "jsonpath={.zones[0].resources[0].available}"))
                .isEqualTo("3");
        assertThat(run("describe", "node-res-topo", "n1")).contains("Available:", "node-0");
    }

    @Test
    void watches() throws Exception {
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
