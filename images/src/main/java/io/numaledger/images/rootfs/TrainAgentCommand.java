package io.numaledger.images.rootfs;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.annotation.Annotations;
import io.numaledger.apiservers.fake.ApiServerSettings;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.SelfSignedCertificate;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NodeSpecYaml;
import io.numaledger.simulator.node.ReportLag;
import io.numaledger.simulator.node.SimulatedNode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/** Runs the agent of a root file system against a simulated node, and archives the classes that it used. */
@Command(
        name = "train-agent",
        description = "Makes the class archive of the agent's root file system; a step of ./numaledger rootfs.",
        mixinStandardHelpOptions = true)
public final class TrainAgentCommand implements Callable<Integer> {

    private static final String CONFIGURATION = """
            {"kubeletconfig": {"cpuManagerPolicy": "static", "memoryManagerPolicy": "Static",
             "topologyManagerPolicy": "best-effort", "topologyManagerScope": "pod", "reservedSystemCPUs": "0"}}
            """;

    @Parameters(paramLabel = "ROOT", description = "the root file system")
    private Path root;

    @Override
    public Integer call() throws IOException, InterruptedException {
        ClassArchive archive = new ClassArchive(root, "agent");
        Path place = archive.directory();
        Path account = root.resolve(ContainedProgram.ACCOUNT.substring(1));
        // In a cluster the agent finds the server by its account, over TLS, so that these are the classes it needs.
        SelfSignedCertificate keys = SelfSignedCertificate.create(place.resolve("keys.p12"));
        try (EmbeddedApiServer server =
                EmbeddedApiServer.start(ApiServerSettings.standard().withTls(keys.server()))) {
            Files.writeString(account.resolve("ca.crt"), keys.certificate());
            Files.writeString(account.resolve("token"), "train");
            NodeSpec spec = NodeSpecYaml.parse("""
                    nodes:
                    - name: train
                      numaNodes:
                      - {id: 0, cores: 4, memory: 8Gi}
                      - {id: 1, cores: 4, memory: 8Gi}
                    """).get(0);
            HardwareTree.write(spec, place.resolve("hardware"));
            try (KubernetesClient client = new KubernetesClientBuilder()
                            .withConfig(new ConfigBuilder(Config.empty())
                                    .withMasterUrl(server.url().toString())
                                    .withCaCertData(Base64.getEncoder()
                                            .encodeToString(keys.certificate().getBytes(StandardCharsets.UTF_8)))
                                    .build())
                            .build();
                    SimulatedNode node =
                            new SimulatedNode(client, spec, place.resolve("kubelet.sock"), ReportLag.none())) {
                HttpsServer configz = configz(keys);
                try {
                    runAgent(archive, client, server.url(), configz.getAddress());
                } finally {
                    configz.stop(0);
                }
            }
            archive.write();
        } finally {
            archive.deleteRecords();
            Files.deleteIfExists(account.resolve("ca.crt"));
            Files.deleteIfExists(account.resolve("token"));
        }
        return 0;
    }

    /** The kubelet's configuration as the kubelet serves it. */
    private static HttpsServer configz(SelfSignedCertificate keys) throws IOException {
        HttpsServer server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(keys.server()));
        server.createContext("/configz", exchange -> {
            byte[] body = CONFIGURATION.getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
        return server;
    }

    private static void runAgent(ClassArchive archive, KubernetesClient client, URI api, InetSocketAddress kubelet)
            throws IOException, InterruptedException {
        int port = FreePort.next();
        Process agent = archive.recording()
                .environment("KUBERNETES_SERVICE_HOST", api.getHost())
                .environment("KUBERNETES_SERVICE_PORT", Integer.toString(api.getPort()))
                .process(archive.recordingArguments(
                        "run",
                        "--node-name=train",
                        "--podresources-socket=/train/kubelet.sock",
                        "--sysfs-root=/train/hardware/sys",
                        "--kubelet-address=127.0.0.1:" + kubelet.getPort(),
                        "--listen=127.0.0.1:" + port))
                .inheritIO()
                .start();
        try {
            Quantity one = new Quantity("1");
            client.resource(new PodBuilder()
                            .withNewMetadata()
                            .withName("train")
                            .withNamespace("default")
                            .endMetadata()
                            .withNewSpec()
                            .withNodeName("train")
                            .addNewContainer()
                            .withName("main")
                            .withImage("example.com/app:1")
                            .withNewResources()
                            .withRequests(Map.of("cpu", one, "memory", one))
                            .withLimits(Map.of("cpu", one, "memory", one))
                            .endResources()
                            .endContainer()
                            .endSpec()
                            .build())
                    .create();
            client.pods()
                    .inNamespace("default")
                    .withName("train")
                    .waitUntilCondition(
                            pod -> pod != null
                                    && Optional.ofNullable(pod.getMetadata().getAnnotations())
                                            .filter(all -> all.containsKey(Annotations.OBSERVED))
                                            .isPresent(),
                            60,
                            TimeUnit.SECONDS);
            client.genericKubernetesResources("topology.node.k8s.io/v1alpha2", "NodeResourceTopology")
                    .withName("train")
                    .waitUntilCondition(Objects::nonNull, 60, TimeUnit.SECONDS);
            for (String path : List.of("metrics", "healthz", "readyz")) {
                URI uri = URI.create("http://127.0.0.1:%d/%s".formatted(port, path));
                HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), BodyHandlers.discarding());
            }
        } finally {
            agent.destroy();
            if (!agent.waitFor(20, TimeUnit.SECONDS)) {
                agent.destroyForcibly();
            }
        }
    }
}
