package io.numaledger.simulator.container;

import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.real.RealApiServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/** Services of a real API server. Their endpoints are sockets of this process. */
class ServiceProxyTest {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final int CONNECT_MS = 500;

    @TempDir
    private static Path directory;

    private static PodNetwork network;
    private static RealApiServer server;
    private static KubernetesClient client;
    private static ServiceProxy proxy;

    private final List<ServerSocket> endpoints = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        String assets = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                assets != null && Files.isExecutable(Path.of(assets, "kube-apiserver")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver and etcd");
        assumeTrue("root".equals(System.getProperty("user.name")), "skipped: network namespaces need root");
        assumeTrue(Files.isExecutable(Path.of("/usr/sbin/ip")), "skipped: no ip; install iproute2");
        network = PodNetwork.create();
        server = RealApiServer.start(
                Path.of(assets),
                directory,
                List.of(
                        "--disable-admission-plugins=ServiceAccount",
                        "--service-cluster-ip-range=" + network.serviceRange()));
        client = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(server.kubeconfig())))
                .build();
        proxy = ServiceProxy.start(client, network, server.url());
    }

    @AfterAll
    static void stop() {
        if (proxy != null) {
            proxy.close();
            client.close();
            server.close();
        }
        if (network != null) {
            network.close();
        }
    }

    @AfterEach
    void closeEndpoints() throws IOException {
        for (ServerSocket each : endpoints) {
            each.close();
        }
    }

    /** Sends back one line with its name before it. Returns its port. */
    private int endpoint(String name) throws IOException {
        ServerSocket socket = new ServerSocket(0, 0, InetAddress.getByName(network.gateway()));
        endpoints.add(socket);
        Thread thread = new Thread(() -> answer(socket, name), name);
        thread.setDaemon(true);
        thread.start();
        return socket.getLocalPort();
    }

    private static void answer(ServerSocket socket, String name) {
        while (!socket.isClosed()) {
            try (Socket connection = socket.accept()) {
                StringBuilder line = new StringBuilder(name + " ");
                for (int c = connection.getInputStream().read();
                        c != '\n';
                        c = connection.getInputStream().read()) {
                    line.append((char) c);
                }
                connection.getOutputStream().write(line.toString().getBytes(StandardCharsets.UTF_8));
            } catch (SocketException closed) {
                return;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static Service service(String name, String ports) {
        return (Service) client.resource("""
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: default}
                spec: {ports: %s}
                """.formatted(name, ports)).create();
    }

    private static void slice(String name, String service, String ports, String endpoints) {
        client.resource("""
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata: {name: %s, namespace: default, labels: {kubernetes.io/service-name: %s}}
                addressType: IPv4
                ports: %s
                endpoints: %s
                """.formatted(name, service, ports, endpoints)).create();
    }

    /** An endpoint at this machine's address in the pods' network. */
    private static String ready(boolean ready) {
        return "{addresses: [%s], conditions: {ready: %s}}".formatted(network.gateway(), ready);
    }

    /** Sends a line to a port of a Service, and returns what comes back before the connection ends. */
    private static String call(Service service, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(service.getSpec().getClusterIP(), port), CONNECT_MS);
            socket.getOutputStream().write("hello\n".getBytes(StandardCharsets.UTF_8));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static void awaitAnswer(Service service, int port, String answer) {
        await().atMost(TIMEOUT).ignoreExceptions().until(() -> call(service, port), answer::equals);
    }

    @Test
    void connectsOnlyToReadyEndpointsOfAllSlices() throws IOException {
        Service service = service("web", "[{port: 80}]");
        slice("web-1", "web", "[{port: %d}]".formatted(endpoint("a")), "[%s]".formatted(ready(true)));
        slice("web-2", "web", "[{port: %d}]".formatted(endpoint("b")), "[%s]".formatted(ready(true)));
        slice("web-3", "web", "[{port: %d}]".formatted(endpoint("c")), "[%s]".formatted(ready(false)));
        slice("web-4", "other", "[{port: %d}]".formatted(endpoint("d")), "[%s]".formatted(ready(true)));

        awaitAnswer(service, 80, "a hello");
        awaitAnswer(service, 80, "b hello");
        for (int i = 0; i < 20; i++) {
            assertThat(call(service, 80)).isIn("a hello", "b hello");
        }
    }

    @Test
    void endsConnectionsWithoutAReadyEndpoint() throws IOException {
        Service service = service("empty", "[{port: 80}]");
        slice("empty-1", "empty", "[]", "[]");
        slice("empty-2", "empty", "[{port: %d}]".formatted(endpoint("a")), "[%s]".formatted(ready(false)));

        awaitAnswer(service, 80, "");
    }

    @Test
    void servesEachPortByItsName() throws IOException {
        Service service = service("two", "[{name: http, port: 80}, {name: probes, port: 81}]");
        slice(
                "two-1",
                "two",
                "[{name: probes, port: %d}, {name: http, port: %d}]".formatted(endpoint("probes"), endpoint("http")),
                "[%s]".formatted(ready(true)));

        awaitAnswer(service, 80, "http hello");
        awaitAnswer(service, 81, "probes hello");
    }

    @Test
    void followsServicesThatChangeOrEnd() throws IOException {
        Service service = service("moves", "[{port: 80}]");
        slice("moves-1", "moves", "[{port: %d}]".formatted(endpoint("a")), "[%s]".formatted(ready(true)));
        awaitAnswer(service, 80, "a hello");

        client.resource(service).edit(before -> {
            before.getSpec().getPorts().get(0).setPort(82);
            return before;
        });
        awaitAnswer(service, 82, "a hello");
        assertThatThrownBy(() -> call(service, 80)).isInstanceOf(ConnectException.class);

        client.resource(service).delete();
        InetAddress address = InetAddress.getByName(service.getSpec().getClusterIP());
        await("no interface has its address")
                .atMost(TIMEOUT)
                .until(() -> NetworkInterface.getByInetAddress(address) == null);
    }

    @Test
    void connectsTheServiceKubernetesToTheApiServer() {
        Service service =
                client.services().inNamespace("default").withName("kubernetes").require();
        URI version =
                URI.create("https://%s/version".formatted(service.getSpec().getClusterIP()));

        await().atMost(TIMEOUT)
                .ignoreExceptions()
                .until(() -> server.httpClient()
                        .send(HttpRequest.newBuilder(version).build(), BodyHandlers.ofString())
                        .body()
                        .contains("gitVersion"));
    }

    @Test
    void namesServicesWithAnAddress() {
        Service service = service("named", "[{port: 80}]");
        client.resource("""
                apiVersion: v1
                kind: Service
                metadata: {name: headless, namespace: default}
                spec: {clusterIP: None, ports: [{port: 80}]}
                """).create();

        assertThat(proxy.hosts())
                .contains("%s named.default.svc named.default.svc.cluster.local named.default%n"
                        .formatted(service.getSpec().getClusterIP()))
                .doesNotContain("headless");
    }
}
