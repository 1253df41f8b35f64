package io.numaledger.images.rootfs;

import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.fakeapiserver.ApiServerSettings;
import io.numaledger.fakeapiserver.EmbeddedApiServer;
import io.numaledger.fakeapiserver.SelfSignedCertificate;
import io.numaledger.realapiserver.FreePort;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Runs the bridge of a root file system against an API server in memory, and archives the classes that it used. */
@Command(
        name = "train-bridge",
        description = "Makes the class archive of the bridge's root file system; a step of ./numaledger rootfs.",
        mixinStandardHelpOptions = true)
public final class TrainBridgeCommand implements Callable<Integer> {

    private static final Duration READY = Duration.ofMinutes(2);
    private static final int NODES = 40;

    /** Pods to place, with both verbs each: until the compiler has counted which code is hot. Java 25 keeps these counts. */
    private static final int PODS = 300;

    private final HttpClient http = HttpClient.newHttpClient();

    @Parameters(paramLabel = "ROOT", description = "the root file system")
    private Path root;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClassArchive archive = new ClassArchive(root, "bridge");
        Path account = root.resolve(ContainedProgram.ACCOUNT.substring(1));
        SelfSignedCertificate keys =
                SelfSignedCertificate.create(archive.directory().resolve("keys.p12"));
        try (EmbeddedApiServer server =
                EmbeddedApiServer.start(ApiServerSettings.standard().withTls(keys.server()))) {
            Files.writeString(account.resolve("ca.crt"), keys.certificate());
            Files.writeString(account.resolve("token"), "train");
            Files.writeString(account.resolve("namespace"), "default");
            try (KubernetesClient client = new KubernetesClientBuilder()
                    .withConfig(new ConfigBuilder(Config.empty())
                            .withMasterUrl(server.url().toString())
                            .withCaCertData(Base64.getEncoder()
                                    .encodeToString(keys.certificate().getBytes(StandardCharsets.US_ASCII)))
                            .build())
                    .build()) {
                for (int i = 0; i < NODES; i++) {
                    createNode(client, "node-" + i);
                }
            }
            runBridge(archive, server.url());
            archive.write();
        } finally {
            archive.deleteRecords();
            for (String file : List.of("ca.crt", "token", "namespace")) {
                Files.deleteIfExists(account.resolve(file));
            }
        }
        return 0;
    }

    private static void createNode(KubernetesClient client, String name) {
        Map<String, Quantity> amounts =
                Map.of("cpu", new Quantity("32"), "memory", new Quantity("128Gi"), "pods", new Quantity("110"));
        client.resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewStatus()
                        .withCapacity(amounts)
                        .withAllocatable(amounts)
                        .endStatus()
                        .build())
                .create();
        String zone = """
                - name: node-%d
                  type: Node
                  resources:
                  - {name: cpu, capacity: "16", allocatable: "16", available: "16"}
                  - {name: memory, capacity: 64Gi, allocatable: 64Gi, available: 64Gi}
                """;
        client.resource("""
                        apiVersion: topology.node.k8s.io/v1alpha2
                        kind: NodeResourceTopology
                        metadata: {name: %s}
                        attributes:
                        - {name: topologyManagerPolicy, value: single-numa-node}
                        - {name: topologyManagerScope, value: container}
                        - {name: cpuManagerPolicy, value: static}
                        - {name: memoryManagerPolicy, value: None}
                        zones:
                        """.formatted(name) + zone.formatted(0) + zone.formatted(1))
                .create();
    }

    /** What kube-scheduler sends for a Guaranteed pod. */
    private static String arguments(int number) {
        String amounts = "{\"cpu\": \"%d\", \"memory\": \"%dGi\"}".formatted(1 + number % 18, 1 + number % 7);
        return """
                {"Pod": {"metadata": {"name": "train-%1$d", "namespace": "default", "uid": "train-%1$d"}, "spec": {"containers": [
                  {"name": "main", "image": "example.com/app:1", "resources": {"requests": %2$s, "limits": %2$s}}]}},
                 "NodeNames": [%3$s]}""".formatted(
                number,
                amounts,
                IntStream.range(0, NODES).mapToObj("\"node-%d\""::formatted).collect(Collectors.joining(",")));
    }

    private void runBridge(ClassArchive archive, URI server) throws IOException, InterruptedException {
        URI address = URI.create("http://127.0.0.1:" + FreePort.next());
        Process bridge = archive.recording()
                .environment("KUBERNETES_SERVICE_HOST", server.getHost())
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(server.getPort()))
                .process(archive.recordingArguments("run", "--listen=" + address.getAuthority(), "--insecure-http"))
                .inheritIO()
                .start();
        try {
            awaitReady(bridge, address);
            for (int i = 0; i < PODS; i++) {
                for (String path : List.of("/filter", "/prioritize")) {
                    send(HttpRequest.newBuilder(address.resolve(path)).POST(BodyPublishers.ofString(arguments(i))));
                }
            }
            for (String path : List.of("/metrics", "/healthz")) {
                send(HttpRequest.newBuilder(address.resolve(path)));
            }
        } finally {
            bridge.destroy();
            if (!bridge.waitFor(20, TimeUnit.SECONDS)) {
                bridge.destroyForcibly();
            }
        }
    }

    private void awaitReady(Process bridge, URI address) throws IOException, InterruptedException {
        long end = System.nanoTime() + READY.toNanos();
        while (!isReady(address)) {
            if (!bridge.isAlive() || System.nanoTime() > end) {
                throw new IOException("the bridge is not ready: address=%s; see its messages above".formatted(address));
            }
            TimeUnit.MILLISECONDS.sleep(100);
        }
    }

    private boolean isReady(URI address) throws InterruptedException {
        try {
            return send(HttpRequest.newBuilder(address.resolve("/readyz"))) == 200;
        } catch (IOException notListening) {
            return false;
        }
    }

    private int send(HttpRequest.Builder request) throws IOException, InterruptedException {
        return http.send(request.build(), BodyHandlers.discarding()).statusCode();
    }
}
