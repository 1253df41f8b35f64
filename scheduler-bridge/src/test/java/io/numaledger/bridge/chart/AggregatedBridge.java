package io.numaledger.bridge.chart;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.apiservers.real.ChartAccounts;
import io.numaledger.apiservers.real.ChildProcess;
import io.numaledger.apiservers.real.FreePort;
import io.numaledger.apiservers.real.RealApiServer;
import io.numaledger.bridge.BridgeMain;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * A bridge with the chart's rights and certificates of its own, behind the aggregation layer of a real API server. It knows node
 * {@code a}, with a pod of the namespaces {@code default} and {@code secret} each. Their service accounts {@code user} may see what the
 * chart's roles give to users of {@code default}.
 */
public final class AggregatedBridge implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(3);
    private static final Duration DAY = Duration.ofDays(1);

    final Path directory;
    final RealApiServer server;
    final KubernetesClient admin;
    final ChartAccounts accounts;
    final int port = FreePort.next();
    final int probes = FreePort.next();
    final Issued frontProxy;
    private final Path assets;
    private final ChildProcess bridge;

    /** Skips the test without Kubernetes' binaries. */
    public static AggregatedBridge start(Path directory) throws IOException {
        String named = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                named != null && Files.isExecutable(Path.of(named, "kubectl")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd, helm and kubectl");
        return new AggregatedBridge(Path.of(named), directory);
    }

    private AggregatedBridge(Path assets, Path directory) throws IOException {
        this.assets = assets;
        this.directory = directory;
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("front-proxy-ca", now, DAY);
        frontProxy = authority.issue("front-proxy-client", Purpose.CLIENT, List.of(), List.of(), now, DAY);
        server = RealApiServer.start(assets, directory.resolve("api"), flags(authority));
        admin = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(server.kubeconfig())))
                .build();
        accounts = ChartAccounts.install(
                server,
                assets.resolve("helm"),
                Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                directory.resolve("accounts"));
        registerApi();
        objects();
        bridge = startBridge(accounts.bridge());
        await("the bridge is ready").atMost(TIMEOUT).ignoreExceptions().until(() -> probe("/readyz") == 200);
    }

    private List<String> flags(CertificateAuthority authority) throws IOException {
        Path ca = file("front-proxy-ca.crt", Pem.of(List.of(authority.certificate())));
        Path certificate = file("front-proxy.crt", Pem.of(List.of(frontProxy.certificate())));
        Path key = file("front-proxy.key", Pem.of(frontProxy.key()));
        return List.of(
                "--disable-admission-plugins=ServiceAccount,TaintNodesByCondition",
                "--requestheader-client-ca-file=" + ca,
                "--requestheader-allowed-names=front-proxy-client",
                "--requestheader-username-headers=X-Remote-User",
                "--requestheader-group-headers=X-Remote-Group",
                "--requestheader-extra-headers-prefix=X-Remote-Extra-",
                "--proxy-client-cert-file=" + certificate,
                "--proxy-client-key-file=" + key);
    }

    Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    /** As the chart does, but for the Service: nothing routes to the cluster's addresses here. */
    private void registerApi() {
        create("""
                apiVersion: v1
                kind: Service
                metadata: {name: numaledger-bridge, namespace: numa-system}
                spec: {type: ExternalName, externalName: localhost}
                """);
        create("""
                apiVersion: apiregistration.k8s.io/v1
                kind: APIService
                metadata: {name: v1alpha1.numaledger.io}
                spec:
                  group: numaledger.io
                  version: v1alpha1
                  groupPriorityMinimum: 1000
                  versionPriority: 10
                  service: {name: numaledger-bridge, namespace: numa-system, port: %d}
                """.formatted(port));
    }

    /** Roles such as view stay empty here: no controller manager adds up what they consist of. */
    private void objects() {
        create("apiVersion: v1\nkind: Namespace\nmetadata: {name: secret}\n");
        for (String object : ClusterYaml.node("a").split("(?m)^---$")) {
            if (!object.isBlank()) {
                create(object);
            }
        }
        for (String namespace : List.of("default", "secret")) {
            create("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: user, namespace: %s}\n"
                    .formatted(namespace));
            create("""
                    apiVersion: v1
                    kind: Pod
                    metadata:
                      name: holds-%1$s
                      namespace: %1$s
                      annotations:
                        kai.scheduler/numa-placement-observed: '[{"zone":"node-0","amount":{"cpu":"1"}}]'
                    spec:
                      nodeName: a
                      containers: [{name: c, image: i, resources: {limits: {cpu: "1", memory: 1Gi}}}]
                    """.formatted(namespace));
        }
        create("""
                apiVersion: rbac.authorization.k8s.io/v1
                kind: ClusterRoleBinding
                metadata: {name: user}
                roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: numaledger-bridge-view}
                subjects: [{kind: ServiceAccount, name: user, namespace: default}]
                """);
        for (String role : List.of("system:aggregate-to-view", "numaledger-bridge-edit")) {
            create("""
                    apiVersion: rbac.authorization.k8s.io/v1
                    kind: RoleBinding
                    metadata: {name: "user-%1$s", namespace: default}
                    roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "%1$s"}
                    subjects: [{kind: ServiceAccount, name: user, namespace: default}]
                    """.formatted(role));
        }
    }

    public void create(String yaml) {
        admin.resource(yaml).create();
    }

    private ChildProcess startBridge(Path kubeconfig) throws IOException {
        return ChildProcess.start(
                "bridge",
                directory,
                List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-Djava.io.tmpdir=" + directory,
                        "-cp",
                        System.getProperty("java.class.path"),
                        BridgeMain.class.getName(),
                        "run",
                        "--listen=127.0.0.1:" + port,
                        "--metrics-listen=127.0.0.1:" + probes,
                        "--kubeconfig=" + kubeconfig,
                        "--issue-certificates=numaledger-bridge",
                        "--aggregated-api"));
    }

    int probe(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probes + path))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    public String token(String namespace) {
        return admin.serviceAccounts()
                .inNamespace(namespace)
                .withName("user")
                .tokenRequest()
                .getStatus()
                .getToken();
    }

    public String kubectl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                assets.resolve("kubectl").toString(),
                "--server=" + server.url(),
                "--certificate-authority=" + server.servingCertificate(),
                "--cache-dir=" + directory.resolve("kubectl-cache")));
        command.addAll(List.of(arguments));
        if (List.of(arguments).stream().noneMatch(argument -> argument.startsWith("--token="))) {
            command.add("--token=" + server.token());
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output;
    }

    /** Waits until the API server passes requests on. */
    public void awaitApi() {
        await("the API is available")
                .atMost(TIMEOUT)
                .until(() ->
                        kubectl("get", "apiservice", "v1alpha1.numaledger.io").contains("True"));
    }

    /** A kubeconfig for a token. */
    public Path kubeconfig(String name, String token) throws IOException {
        return file(name, Files.readString(server.kubeconfig()).replace(server.token(), token));
    }

    public Path kubectl() {
        return assets.resolve("kubectl");
    }

    public KubernetesClient admin() {
        return admin;
    }

    public String adminToken() {
        return server.token();
    }

    /** Of the bridge, for an APIService. */
    public int port() {
        return port;
    }

    @Override
    public void close() {
        bridge.close();
        admin.close();
        server.close();
    }
}
