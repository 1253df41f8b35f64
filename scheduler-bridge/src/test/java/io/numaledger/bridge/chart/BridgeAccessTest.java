package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.bridge.BridgeMain;
import io.numaledger.bridge.ClusterYaml;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.realapiserver.ChartAccounts;
import io.numaledger.realapiserver.ChildProcess;
import io.numaledger.realapiserver.FreePort;
import io.numaledger.realapiserver.RealApiServer;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * Who may call a bridge that runs with the chart's rights and issues its own certificates: schedulers, users with a token, and users
 * of kubectl through a real API server.
 */
class BridgeAccessTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration DAY = Duration.ofDays(1);
    private static final char[] PASSWORD = new char[0];
    private static final String PENDING =
            "{\"PodName\":\"x\",\"PodNamespace\":\"default\",\"PodUID\":\"u\",\"Node\":\"a\"}";

    @TempDir
    private static Path directory;

    private static Path assets;
    private static RealApiServer server;
    private static KubernetesClient admin;
    private static ChartAccounts accounts;
    private static ChildProcess bridge;
    private static CertificateAuthority frontProxyAuthority;
    private static Issued frontProxy;
    private static int port;
    private static int probes;

    @BeforeAll
    static void start() throws IOException {
        String named = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(
                named != null && Files.isExecutable(Path.of(named, "kubectl")),
                "skipped: KUBEBUILDER_ASSETS does not name a directory with kube-apiserver, etcd, helm and kubectl");
        assets = Path.of(named);
        server = RealApiServer.start(assets, directory.resolve("api"), withFrontProxy());
        admin = new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(Files.readString(server.kubeconfig())))
                .build();
        accounts = ChartAccounts.install(
                server,
                assets.resolve("helm"),
                Path.of(System.getProperty("numaledger.root"), "charts", "numaledger"),
                directory.resolve("accounts"));
        port = FreePort.next();
        probes = FreePort.next();
        registerApi();
        objects();
        bridge = startBridge(accounts.bridge());
        await("the bridge is ready").atMost(TIMEOUT).ignoreExceptions().until(() -> probe("/readyz") == 200);
    }

    private static List<String> withFrontProxy() throws IOException {
        Instant now = Instant.now();
        frontProxyAuthority = CertificateAuthority.create("front-proxy-ca", now, DAY);
        frontProxy = frontProxyAuthority.issue("front-proxy-client", Purpose.CLIENT, List.of(), List.of(), now, DAY);
        Path ca = file("front-proxy-ca.crt", Pem.of(List.of(frontProxyAuthority.certificate())));
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

    private static Path file(String name, String text) throws IOException {
        return Files.writeString(directory.resolve(name), text);
    }

    /** As the chart does, but for the Service: nothing routes to the cluster's addresses here. */
    private static void registerApi() {
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
    private static void objects() {
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

    private static void create(String yaml) {
        admin.resource(yaml).create();
    }

    private static ChildProcess startBridge(Path kubeconfig) throws IOException {
        return ChildProcess.start(
                "bridge",
                directory,
                List.of(
                        ProcessHandle.current().info().command().orElse("java"),
                        "-XX:+UseSerialGC",
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

    @AfterAll
    static void stop() {
        if (bridge != null) {
            bridge.close();
        }
        if (server != null) {
            admin.close();
            server.close();
        }
    }

    private static int probe(String path) throws IOException, InterruptedException {
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + probes + path))
                                .build(),
                        HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    // ---- schedulers

    @Test
    void servesSchedulersWithTheIssuedCertificateOnly() throws Exception {
        Issued foreign = CertificateAuthority.create("numaledger-bridge-ca", Instant.now(), DAY)
                .issue("numaledger-scheduler", Purpose.CLIENT, List.of(), List.of(), Instant.now(), DAY);

        for (String verb : List.of("/filter", "/prioritize", "/bind")) {
            assertThat(post(verb, client(Optional.empty()))).startsWith("401 a client certificate is required");
            assertThat(post(verb, client(Optional.of(foreign)))).startsWith("401 the client certificate is not valid");
            assertThat(post(verb, client(Optional.of(frontProxy))))
                    .startsWith("401 the client certificate is not valid");
            assertThat(post(verb, client(Optional.of(issued("numaledger-bridge")))))
                    .startsWith("403 this client is no scheduler: name=numaledger-bridge");
        }
        assertThat(post("/bind", client(Optional.of(scheduler())))).startsWith("200 {\"Error\":");
    }

    /** Anything else that the authority signs. */
    private static Issued issued(String name) throws GeneralSecurityException {
        Secret secret = secret("numaledger-bridge-ca");
        CertificateAuthority authority = new CertificateAuthority(
                Pem.certificates(text(secret, "ca.crt")).get(0), Pem.privateKey(text(secret, "ca.key")));
        return authority.issue(name, Purpose.CLIENT, List.of(), List.of(), Instant.now(), DAY);
    }

    private static Issued scheduler() throws GeneralSecurityException {
        Secret secret = secret("numaledger-bridge-client");
        PrivateKey key = Pem.privateKey(text(secret, "tls.key"));
        return new Issued(Pem.certificates(text(secret, "tls.crt")).get(0), key);
    }

    private static Secret secret(String name) {
        return admin.secrets().inNamespace("numa-system").withName(name).get();
    }

    private static String text(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }

    private static String post(String path, HttpClient http) throws IOException, InterruptedException {
        return send(http, request(path).POST(HttpRequest.BodyPublishers.ofString(PENDING)));
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + port + path));
    }

    private static String send(HttpClient http, HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    /** A client that believes the issued CA. */
    private static HttpClient client(Optional<Issued> own) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        store.setCertificateEntry(
                "ca",
                Pem.certificates(text(secret("numaledger-bridge-client"), "ca.crt"))
                        .get(0));
        if (own.isPresent()) {
            X509Certificate certificate = own.get().certificate();
            store.setKeyEntry("own", own.get().key(), PASSWORD, new Certificate[] {certificate});
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, PASSWORD);
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }

    // ---- users with a token

    @Test
    void authenticatesAndAuthorisesUsersAndHidesPodsOfOtherNamespaces() throws Exception {
        HttpClient http = client(Optional.empty());
        String mayNot = token("secret");

        assertThat(send(http, request("/v1/nodes"))).startsWith("401 not authenticated");
        assertThat(send(http, request("/v1/nodes").header("Authorization", "Bearer rubbish")))
                .startsWith("401 not authenticated");
        assertThat(send(http, request("/v1/nodes").header("Authorization", "Bearer " + mayNot)))
                .isEqualToIgnoringNewLines(
                        "403 User \"system:serviceaccount:secret:user\" cannot list resource \"numanodes\" in API group \"numaledger.io\" at the cluster scope");
        String seen = send(http, request("/v1/nodes").header("Authorization", "Bearer " + token("default")));
        assertThat(seen).startsWith("200 ").contains("default/holds-default").doesNotContain("holds-secret");
        assertThat(seen)
                .contains("\"otherPods\":{\"count\":1,\"placement\":[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"");
        assertThat(send(http, request("/v1/nodes").header("Authorization", "Bearer " + server.token())))
                .contains("default/holds-default", "secret/holds-secret");
    }

    @Test
    void explainsNoPodsOfOtherNamespaces() throws Exception {
        HttpClient http = client(Optional.empty());
        String token = token("default");

        assertThat(explain(http, token, "/v1/explain", "{\"pod\":\"secret/holds-secret\"}"))
                .startsWith("403 User \"system:serviceaccount:default:user\" cannot create resource \"explanations\"");
        assertThat(explain(
                        http,
                        token,
                        "/v1/whatif",
                        "{\"evict\":[\"secret/holds-secret\"],\"place\":\"default/holds-default\"}"))
                .startsWith("403 you may not list pods in the namespace: pod=secret/holds-secret");
        assertThat(explain(http, token, "/v1/explain", "{\"pod\":\"default/holds-default\"}"))
                .startsWith("200 ")
                .doesNotContain("holds-secret");
    }

    private static String explain(HttpClient http, String token, String path, String body) throws Exception {
        return send(
                http,
                request(path)
                        .header("Authorization", "Bearer " + token)
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private static String token(String namespace) {
        return admin.serviceAccounts()
                .inNamespace(namespace)
                .withName("user")
                .tokenRequest()
                .getStatus()
                .getToken();
    }

    // ---- attackers

    /** What somebody may try with credentials that give no right to it, and the status that it gets. */
    @ParameterizedTest(name = "{0}")
    @CsvSource({"no credentials, 401, 403", "a user of another namespace, 403, 403", "an agent, 403, 403"})
    void anAttackerGetsNothing(String who, int fromBridge, int fromApiServer) throws Exception {
        Optional<String> token = switch (who) {
            case "a user of another namespace" -> Optional.of(token("secret"));
            case "an agent" -> Optional.of(agentToken());
            default -> Optional.empty();
        };
        HttpClient http = client(Optional.empty());
        SortedMap<String, Integer> got = new TreeMap<>();
        for (String verb : List.of("/filter", "/prioritize", "/bind")) {
            got.put("bridge POST " + verb, attempt(http, as(token, post(bridgeUrl() + verb, PENDING))));
        }
        for (String path : List.of("/v1/nodes", "/v1/nodes/a", "/apis/numaledger.io/v1alpha1/numanodes")) {
            HttpRequest.Builder spoofed = HttpRequest.newBuilder(URI.create(bridgeUrl() + path))
                    .header("X-Remote-User", "admin")
                    .header("X-Remote-Group", "system:masters");
            got.put("bridge GET " + path, attempt(http, as(token, spoofed)));
        }
        String pod = "{\"pod\":\"default/holds-default\"}";
        got.put("bridge POST /v1/explain", attempt(http, as(token, post(bridgeUrl() + "/v1/explain", pod))));
        SortedMap<String, Integer> expected = new TreeMap<>();
        got.keySet()
                .forEach(each -> expected.put(each, each.matches(".*/(filter|prioritize|bind)") ? 401 : fromBridge));

        HttpClient api = server.httpClient();
        String secrets = "/api/v1/namespaces/numa-system/secrets/";
        for (String path : List.of(
                secrets + "numaledger-bridge-ca",
                secrets + "numaledger-bridge-client",
                "/apis/coordination.k8s.io/v1/namespaces/numa-system/leases",
                "/apis/numaledger.io/v1alpha1/numanodes")) {
            got.put(
                    "api GET " + path,
                    attempt(api, as(token, HttpRequest.newBuilder(server.url().resolve(path)))));
            expected.put("api GET " + path, fromApiServer);
        }
        String binding = "/api/v1/namespaces/default/pods/holds-default/binding";
        got.put("api POST binding", attempt(api, as(token, post(server.url() + binding, "{}"))));
        expected.put("api POST binding", fromApiServer);

        assertThat(got).isEqualTo(expected);
    }

    private static String bridgeUrl() {
        return "https://127.0.0.1:" + port;
    }

    private static HttpRequest.Builder post(String url, String body) {
        return HttpRequest.newBuilder(URI.create(url))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body));
    }

    private static HttpRequest as(Optional<String> token, HttpRequest.Builder request) {
        token.ifPresent(text -> request.header("Authorization", "Bearer " + text));
        return request.build();
    }

    private static int attempt(HttpClient http, HttpRequest request) throws IOException, InterruptedException {
        return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }

    private static String agentToken() throws IOException {
        return Config.fromKubeconfig(Files.readString(accounts.agent("a"))).getAutoOAuthToken();
    }

    // ---- users of kubectl

    @Test
    void kubectlShowsNodesAndExplainsPods() throws Exception {
        await("the API is available")
                .atMost(TIMEOUT)
                .until(() ->
                        kubectl("get", "apiservice", "v1alpha1.numaledger.io").contains("True"));

        assertThat(kubectl("api-resources", "--api-group=numaledger.io"))
                .containsPattern("explanations +numaledger.io/v1alpha1 +true +Explanation")
                .containsPattern("numanodes +numaledger.io/v1alpha1 +false +NumaNode");
        assertThat(kubectl("get", "numanodes").lines())
                .satisfiesExactly(
                        head -> assertThat(head)
                                .matches("NAME +POLICY +FREE CPU +FREE MEMORY +FREE DEVICES +CONFIDENCE *"),
                        row -> assertThat(row).matches("a +single-numa-node +\\d+,\\d+ +.*"));
        assertThat(kubectl("get", "numanodes", "-o", "wide")).contains("SCOPE", "PODS", "ZONES", "node-0,node-1");
        JsonNode node = JSON.readTree(kubectl("get", "numanode", "a", "-o", "json"));
        assertThat(node.path("kind").asText()).isEqualTo("NumaNode");
        assertThat(node.at("/status/zones")).hasSize(2);
        assertThat(kubectl("get", "numanodes", "-o", "yaml")).contains("kind: NumaNode\n", "zone: node-1");
        assertThat(kubectl("get", "numanode", "none"))
                .contains("(NotFound): numanodes.numaledger.io \"none\" not found");
        assertThat(kubectl("explain", "explanation.spec")).contains("podName", "manifest of a Pod");
    }

    @Test
    void kubectlExplainsAPod() throws Exception {
        await("the API is available")
                .atMost(TIMEOUT)
                .until(() ->
                        kubectl("get", "apiservice", "v1alpha1.numaledger.io").contains("True"));
        Path large = file("large.yaml", """
                apiVersion: numaledger.io/v1alpha1
                kind: Explanation
                metadata: {name: large}
                spec:
                  pod:
                    spec:
                      containers: [{name: c, resources: {limits: {cpu: "6", memory: 1Gi}}}]
                """);
        Path wrong = file("wrong.yaml", Files.readString(large).replace("  pod:\n", "  pot: x\n  pod:\n"));

        assertThat(kubectl("create", "-f", large.toString(), "-o", "yaml"))
                .contains("schedulableNodes: 0", "reason: TopologyAffinityError", "needs 6 cpu");
        assertThat(kubectl("create", "-f", wrong.toString())).contains("unknown field");
        assertThat(kubectl("create", "-f", large.toString(), "--token=" + token("secret")))
                .contains("(Forbidden)", "cannot create resource \"explanations\"");
        assertThat(kubectl("get", "numanodes", "-o", "yaml", "--token=" + token("default")))
                .contains("default/holds-default", "otherPods:")
                .doesNotContain("holds-secret");
    }

    // ---- renewal

    @Test
    void renewsCertificatesBeforeTheyExpireAndKeepsTheAuthoritysKey() throws Exception {
        Instant start = Instant.now();
        AtomicReference<Instant> now = new AtomicReference<>(start);
        for (String name : List.of("other-ca", "other-client")) {
            create("apiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: secret}\n".formatted(name));
        }
        Config config = Config.fromKubeconfig(Files.readString(server.kubeconfig()));
        config.setNamespace("secret");
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            Path files = Files.createDirectory(directory.resolve("issued"));
            IssuedCertificates first = new IssuedCertificates(client, "other", files, false, now::get);
            first.ensure();
            List<String> issued = contents(files);

            now.set(start.plus(Duration.ofDays(59)));
            first.ensure();
            new IssuedCertificates(
                            client, "other", Files.createDirectory(directory.resolve("replica")), false, now::get)
                    .ensure();
            assertThat(contents(files)).isEqualTo(issued);

            now.set(start.plus(Duration.ofDays(61)));
            first.ensure();
            List<String> renewed = contents(files);
            assertThat(renewed.get(0)).isEqualTo(issued.get(0));
            assertThat(renewed.get(1)).isNotEqualTo(issued.get(1));
            assertThat(renewed.get(2)).isNotEqualTo(issued.get(2));

            now.set(start.plus(Duration.ofDays(1900)));
            first.ensure();
            X509Certificate before = Pem.certificates(issued.get(0)).get(0);
            X509Certificate after = Pem.certificates(contents(files).get(0)).get(0);
            assertThat(after.getNotAfter()).isAfter(before.getNotAfter());
            assertThat(after.getPublicKey()).isEqualTo(before.getPublicKey());
        }
    }

    /** The CA, the server's certificate, and the scheduler's. */
    private static List<String> contents(Path files) throws IOException {
        Secret client =
                admin.secrets().inNamespace("secret").withName("other-client").get();
        return List.of(
                Files.readString(files.resolve("ca.crt")),
                Files.readString(files.resolve("tls.crt")),
                text(client, "tls.crt"));
    }

    @Test
    void namesASecretWithForeignContentAndLeavesItAlone() throws Exception {
        create("""
                apiVersion: v1
                kind: Secret
                metadata: {name: foreign-ca, namespace: secret}
                stringData: {ca.crt: mine}
                """);
        Config config = Config.fromKubeconfig(Files.readString(server.kubeconfig()));
        config.setNamespace("secret");
        try (KubernetesClient client =
                new KubernetesClientBuilder().withConfig(config).build()) {
            IssuedCertificates issued =
                    new IssuedCertificates(client, "foreign", directory, false, InstantSource.system());

            assertThatThrownBy(issued::ensure)
                    .isInstanceOf(IOException.class)
                    .hasMessage(
                            "the Secret has no usable authority: secret=secret/foreign-ca: no certificate in it; delete its data to have a new one issued");
            assertThat(text(
                            client.secrets()
                                    .inNamespace("secret")
                                    .withName("foreign-ca")
                                    .get(),
                            "ca.crt"))
                    .isEqualTo("mine");
        }
    }

    private static String kubectl(String... arguments) throws IOException, InterruptedException {
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
}
