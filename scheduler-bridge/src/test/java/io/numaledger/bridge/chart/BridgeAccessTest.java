package io.numaledger.bridge.chart;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.numaledger.bridge.certificate.IssuedCertificates;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import io.numaledger.tls.Pem;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
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
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Who may call a bridge that runs with the chart's rights and issues its own certificates: schedulers, and users through a real API
 * server.
 */
class BridgeAccessTest {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration DAY = Duration.ofDays(1);
    private static final char[] PASSWORD = new char[0];
    private static final String API = "/apis/numaledger.io/v1alpha1";
    private static final String USER = "system:serviceaccount:default:user";
    private static final String PENDING =
            "{\"PodName\":\"x\",\"PodNamespace\":\"default\",\"PodUID\":\"u\",\"Node\":\"a\"}";

    @TempDir
    private static Path directory;

    private static AggregatedBridge cluster;

    @BeforeAll
    static void start() throws IOException {
        cluster = AggregatedBridge.start(directory);
    }

    @AfterAll
    static void stop() {
        if (cluster != null) {
            cluster.close();
        }
    }

    // ---- schedulers

    @Test
    void servesSchedulersWithTheIssuedCertificateOnly() throws Exception {
        Issued foreign = CertificateAuthority.create("numaledger-bridge-ca", Instant.now(), DAY)
                .issue("numaledger-scheduler", Purpose.CLIENT, List.of(), List.of(), Instant.now(), DAY);

        for (String verb : List.of("/filter", "/prioritize", "/bind")) {
            assertThat(post(verb, client(Optional.empty()))).startsWith("401 a client certificate is required");
            assertThat(post(verb, client(Optional.of(foreign)))).startsWith("401 the client certificate is not valid");
            assertThat(post(verb, client(Optional.of(cluster.frontProxy))))
                    .startsWith("401 the client certificate is not valid");
            assertThat(post(verb, client(Optional.of(issued("numaledger-bridge")))))
                    .startsWith("403 this client is no scheduler: name=numaledger-bridge");
        }
        assertThat(post("/bind", client(Optional.of(scheduler())))).startsWith("200 {\"Error\":");
    }

    @Test
    void tellsWhenItsCertificatesAndThoseOfSchedulersExpire() throws Exception {
        assertThat(post("/bind", client(Optional.of(issued("numaledger-bridge")))))
                .startsWith("403");
        assertThat(post("/bind", client(Optional.of(scheduler())))).startsWith("200");

        Instant ninetyDays = Instant.now().plus(Duration.ofDays(90));
        assertThat(expiry("certificate=\"serving\",name=\"\"")).isBetween(ninetyDays.minus(DAY), ninetyDays);
        assertThat(expiry("certificate=\"client_ca\",name=\"\""))
                .isEqualTo(Pem.certificates(text(secret("numaledger-bridge-ca"), "ca.crt"))
                        .get(0)
                        .getNotAfter()
                        .toInstant());
        assertThat(expiry("certificate=\"client\",name=\"numaledger-scheduler\""))
                .isEqualTo(scheduler().certificate().getNotAfter().toInstant());
    }

    private static Instant expiry(String labels) throws IOException, InterruptedException {
        HttpRequest.Builder metrics =
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:%d/metrics".formatted(cluster.probes)));
        Matcher value = Pattern.compile(
                        "numaledger_bridge_certificate_expiry_timestamp_seconds\\{" + labels + "\\} (\\S+)")
                .matcher(send(HttpClient.newHttpClient(), metrics));
        assertThat(value.find()).as(labels).isTrue();
        return Instant.ofEpochSecond((long) Double.parseDouble(value.group(1)));
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
        return cluster.admin.secrets().inNamespace("numa-system").withName(name).get();
    }

    private static String text(Secret secret, String key) {
        return new String(Base64.getDecoder().decode(secret.getData().get(key)), StandardCharsets.UTF_8);
    }

    private static String post(String path, HttpClient http) throws IOException, InterruptedException {
        return send(http, request(path).POST(HttpRequest.BodyPublishers.ofString(PENDING)));
    }

    private static HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("https://127.0.0.1:" + cluster.port + path));
    }

    private static String send(HttpClient http, HttpRequest.Builder request) throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
        return answer.statusCode() + " " + answer.body();
    }

    /** A client that believes the issued CA. */
    private static HttpClient client(Optional<Issued> own) throws GeneralSecurityException, IOException {
        return HttpClient.newBuilder().sslContext(context(own)).build();
    }

    private static SSLContext context(Optional<Issued> own) throws GeneralSecurityException, IOException {
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
        return context;
    }

    // ---- users, as the API server passes them on

    @Test
    void authorisesUsersAndHidesPodsOfOtherNamespaces() throws Exception {
        String nodes = API + "/numanodes";

        assertThat(send(client(Optional.empty()), as("admin", request(nodes))))
                .startsWith("401 ")
                .contains("only the API server may call this");
        assertThat(send(apiServer(), request(nodes))).startsWith("401 ");
        assertThat(send(apiServer(), as("system:serviceaccount:secret:user", request(nodes))))
                .startsWith("403 ")
                .contains(
                        "User \\\"system:serviceaccount:secret:user\\\" cannot list resource \\\"numanodes\\\" in API group \\\"numaledger.io\\\" at the cluster scope");
        assertThat(send(apiServer(), as(USER, request(nodes))))
                .startsWith("200 ")
                .contains("default/holds-default")
                .doesNotContain("holds-secret")
                .contains("\"otherPods\":{\"count\":1,\"placement\":[{\"zone\":\"node-0\",\"amount\":{\"cpu\":\"1\"");
        assertThat(send(apiServer(), as("admin", request(nodes)).header("X-Remote-Group", "system:masters")))
                .contains("default/holds-default", "secret/holds-secret");
    }

    @Test
    void explainsNoPodsOfOtherNamespaces() throws Exception {
        assertThat(explain(USER, "secret", "{\"podName\":\"holds-secret\"}"))
                .startsWith("403 ")
                .contains("cannot create resource \\\"explanations\\\"");
        assertThat(explain(USER, "default", "{\"podName\":\"holds-default\",\"evict\":[\"secret/holds-secret\"]}"))
                .startsWith("403 ")
                .contains("you may not list pods in the namespace: pod=secret/holds-secret");
        assertThat(explain(USER, "default", "{\"podName\":\"holds-default\"}"))
                .startsWith("201 ")
                .doesNotContain("holds-secret");
    }

    private static String explain(String user, String namespace, String spec) throws Exception {
        return send(
                apiServer(),
                as(user, request(explanations(namespace)))
                        .POST(HttpRequest.BodyPublishers.ofString("{\"spec\":%s}".formatted(spec))));
    }

    private static String explanations(String namespace) {
        return "%s/namespaces/%s/explanations".formatted(API, namespace);
    }

    private static HttpClient apiServer() throws GeneralSecurityException, IOException {
        return client(Optional.of(cluster.frontProxy));
    }

    private static HttpRequest.Builder as(String user, HttpRequest.Builder request) {
        return request.header("X-Remote-User", user);
    }

    // ---- attackers

    /** What somebody may try with credentials that give no right to it, and the status that it gets. */
    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"no credentials", "a user of another namespace", "an agent"})
    void anAttackerGetsNothing(String who) throws Exception {
        Optional<String> token = switch (who) {
            case "a user of another namespace" -> Optional.of(cluster.token("secret"));
            case "an agent" -> Optional.of(agentToken());
            default -> Optional.empty();
        };
        HttpClient http = client(Optional.empty());
        SortedMap<String, Integer> got = new TreeMap<>();
        for (String verb : List.of("/filter", "/prioritize", "/bind")) {
            got.put("bridge POST " + verb, attempt(http, as(token, post(bridgeUrl() + verb, PENDING))));
        }
        for (String path : List.of(API + "/numanodes", API + "/numanodes/a")) {
            HttpRequest.Builder spoofed = HttpRequest.newBuilder(URI.create(bridgeUrl() + path))
                    .header("X-Remote-User", "admin")
                    .header("X-Remote-Group", "system:masters");
            got.put("bridge GET " + path, attempt(http, as(token, spoofed)));
        }
        String spec = "{\"spec\":{\"podName\":\"holds-default\"}}";
        got.put(
                "bridge POST explanations",
                attempt(http, as(token, post(bridgeUrl() + explanations("default"), spec))));
        SortedMap<String, Integer> expected = new TreeMap<>();
        got.keySet().forEach(each -> expected.put(each, 401));

        HttpClient api = cluster.server.httpClient();
        String secrets = "/api/v1/namespaces/numa-system/secrets/";
        for (String path : List.of(
                secrets + "numaledger-bridge-ca",
                secrets + "numaledger-bridge-client",
                "/apis/coordination.k8s.io/v1/namespaces/numa-system/leases",
                "/apis/numaledger.io/v1alpha1/numanodes")) {
            got.put(
                    "api GET " + path,
                    attempt(
                            api,
                            as(
                                    token,
                                    HttpRequest.newBuilder(cluster.server.url().resolve(path)))));
            expected.put("api GET " + path, 403);
        }
        String binding = "/api/v1/namespaces/default/pods/holds-default/binding";
        got.put("api POST binding", attempt(api, as(token, post(cluster.server.url() + binding, "{}"))));
        expected.put("api POST binding", 403);

        assertThat(got).isEqualTo(expected);
    }

    private static String bridgeUrl() {
        return "https://127.0.0.1:" + cluster.port;
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
        return Config.fromKubeconfig(Files.readString(cluster.accounts.agent("a")))
                .getAutoOAuthToken();
    }

    /** Nobody is served who sends no more than the head of a request, with a certificate of nobody and no token. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/filter",
                "/prioritize",
                "/preempt",
                "/bind",
                "/apis/numaledger.io/v1alpha1/namespaces/default/explanations"
            })
    void asksWhoCallsBeforeTheBodyIsSent(String path) throws Exception {
        for (String length :
                List.of("Content-Length: 1000", "Content-Length: 60000000", "Transfer-Encoding: chunked")) {
            assertThat(status(path, length + "\r\nX-Remote-User: admin")).isEqualTo("HTTP/1.1 401 Unauthorized");
            assertThat(status(path, length + "\r\nAuthorization: Bearer " + cluster.token("default")))
                    .isEqualTo("HTTP/1.1 401 Unauthorized");
        }
    }

    @Test
    void asksTheApiServerBeforeTheBodyIsSent() throws Exception {
        Optional<Issued> apiServer = Optional.of(cluster.frontProxy);
        String user = "Content-Length: 1000\r\nX-Remote-User: system:serviceaccount:secret:user";

        assertThat(status(apiServer, explanations("default"), user)).isEqualTo("HTTP/1.1 403 Forbidden");
        assertThat(status(apiServer, explanations("default"), "Content-Length: 60000000\r\nX-Remote-User: " + USER))
                .isEqualTo("HTTP/1.1 413 Request Entity Too Large");
    }

    /** The first line of the answer to the head of a request. */
    private static String status(String path, String headers) throws Exception {
        return status(Optional.empty(), path, headers);
    }

    private static String status(Optional<Issued> own, String path, String headers) throws Exception {
        try (Socket socket = context(own).getSocketFactory().createSocket("127.0.0.1", cluster.port)) {
            socket.setSoTimeout(30_000);
            socket.getOutputStream()
                    .write("POST %s HTTP/1.1\r\nHost: a\r\n%s\r\n\r\n"
                            .formatted(path, headers)
                            .getBytes(StandardCharsets.US_ASCII));
            return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"podName\":\"holds-default\",\"resourceClaimTemplates\":[]",
                "\"pod\":{},\"resourceClaimTemplates\":{}"
            })
    void claimTemplatesAreAListBesideAPod(String spec) throws Exception {
        assertThat(explain(USER, "default", "{%s}".formatted(spec)))
                .startsWith("400 ")
                .contains("malformed Explanation: spec.resourceClaimTemplates is a list, and stands beside spec.pod");
    }

    /** Bodies that are small, and take much to read. */
    static Stream<Arguments> expensiveBodies() {
        String pod = "{\"spec\":{\"pod\":{\"spec\":";
        String amount = "{\"containers\":[{\"name\":\"c\",\"resources\":{\"limits\":{\"cpu\":%s}}}]}}}}";
        return Stream.of(
                arguments("deep lists", pod + "[".repeat(100_000), "malformed Explanation: not JSON"),
                arguments("deep objects", pod + "{\"a\":".repeat(100_000), "malformed Explanation: not JSON"),
                arguments("a long number", pod + "9".repeat(1_000_000) + "}}}", "malformed Explanation: not JSON"),
                arguments(
                        "a long fraction",
                        pod + "1." + "3".repeat(1_000_000) + "}}}",
                        "malformed Explanation: not JSON"),
                arguments(
                        "a long quantity",
                        pod + amount.formatted("\"%s\"".formatted("7".repeat(1_000_000))),
                        "malformed Explanation: spec.pod: not a usable Pod: name=: not a quantity"));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("expensiveBodies")
    void bodiesCostNoMoreThanTheirLimits(String situation, String body, String why) throws Exception {
        assertThat(send(
                        apiServer(),
                        as(USER, request(explanations("default"))).POST(HttpRequest.BodyPublishers.ofString(body))))
                .startsWith("400 ")
                .contains(why)
                .hasSizeLessThan(600);
        assertThat(post("/bind", client(Optional.of(scheduler())))).startsWith("200 {\"Error\":");
        assertThat(cluster.probe("/healthz")).isEqualTo(200);
    }

    /** As kube-apiserver passes it on. */
    @Test
    void longBodiesOfTheAggregatedApiAreRefusedWhileTheyArrive() throws Exception {
        cluster.awaitApi();
        URI explanations = cluster.server.url().resolve("/apis/numaledger.io/v1alpha1/namespaces/default/explanations");
        String half = "{\"spec\":{\"pod\":{\"spec\":{\"containers\":[{\"name\":\"%s\"}]}}}}";
        HttpRequest.Builder request = HttpRequest.newBuilder(explanations)
                .header("Authorization", "Bearer " + cluster.token("default"))
                .header("Content-Type", "application/json");
        HttpClient api = cluster.server.httpClient();

        for (int megabytes : new int[] {2, 60}) {
            String tooLong = half.formatted("x".repeat(megabytes << 20));
            request.POST(HttpRequest.BodyPublishers.ofString(tooLong));
            assertThat(api.send(request.build(), HttpResponse.BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(413);
        }
        request.POST(HttpRequest.BodyPublishers.ofString(half.formatted("x")));
        assertThat(api.send(request.build(), HttpResponse.BodyHandlers.ofString())
                        .statusCode())
                .isEqualTo(201);
    }

    // ---- users of kubectl

    @Test
    void kubectlShowsNodesAndExplainsPods() throws Exception {
        cluster.awaitApi();

        assertThat(cluster.kubectl("api-resources", "--api-group=numaledger.io"))
                .containsPattern("explanations +numaledger.io/v1alpha1 +true +Explanation")
                .containsPattern("numanodes +nn +numaledger.io/v1alpha1 +false +NumaNode");
        assertThat(cluster.kubectl("get", "numanodes").lines())
                .satisfiesExactly(
                        head -> assertThat(head)
                                .matches("NAME +STATUS +POLICY +FREE CPU +FREE MEMORY +FREE DEVICES +CONFIDENCE *"),
                        row -> assertThat(row).matches("a +Unknown +single-numa-node +\\d+,\\d+ +.*"));
        assertThat(cluster.kubectl("get", "nn", "-o", "wide")).contains("SCOPE", "PODS", "ZONES", "node-0,node-1");
        JsonNode node = JSON.readTree(cluster.kubectl("get", "numanode", "a", "-o", "json"));
        assertThat(node.path("kind").asText()).isEqualTo("NumaNode");
        assertThat(node.at("/status/zones")).hasSize(2);
        assertThat(cluster.kubectl("get", "numanodes", "-o", "yaml")).contains("kind: NumaNode\n", "zone: node-1");
        assertThat(cluster.kubectl("get", "numanode", "none"))
                .contains("(NotFound): numanodes.numaledger.io \"none\" not found");
        // The API server reads the document of an aggregated API in the background.
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(cluster.kubectl("explain", "explanation.spec"))
                        .contains("podName", "manifest of a Pod"));
    }

    @Test
    void kubectlExplainsAPod() throws Exception {
        cluster.awaitApi();
        Path large = cluster.file("large.yaml", """
                apiVersion: numaledger.io/v1alpha1
                kind: Explanation
                metadata: {name: large}
                spec:
                  pod:
                    spec:
                      containers: [{name: c, resources: {limits: {cpu: "6", memory: 1Gi}}}]
                """);
        Path wrong = cluster.file("wrong.yaml", Files.readString(large).replace("  pod:\n", "  pot: x\n  pod:\n"));

        assertThat(cluster.kubectl("create", "-f", large.toString(), "-o", "yaml"))
                .contains("schedulableNodes: 0", "reason: TopologyAffinityError", "needs 6 cpu");
        assertThat(cluster.kubectl("create", "-f", wrong.toString())).contains("unknown field");
        assertThat(cluster.kubectl("create", "-f", large.toString(), "--token=" + cluster.token("secret")))
                .contains("(Forbidden)", "cannot create resource \"explanations\"");
        assertThat(cluster.kubectl("get", "numanodes", "-o", "yaml", "--token=" + cluster.token("default")))
                .contains("default/holds-default", "otherPods:")
                .doesNotContain("holds-secret");
    }

    // ---- renewal

    @Test
    void renewsCertificatesBeforeTheyExpireAndKeepsTheAuthoritysKey() throws Exception {
        Instant start = Instant.now();
        AtomicReference<Instant> now = new AtomicReference<>(start);
        for (String name : List.of("other-ca", "other-client")) {
            cluster.create("apiVersion: v1\nkind: Secret\nmetadata: {name: %s, namespace: secret}\n".formatted(name));
        }
        Config config = Config.fromKubeconfig(Files.readString(cluster.server.kubeconfig()));
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
        Secret client = cluster.admin
                .secrets()
                .inNamespace("secret")
                .withName("other-client")
                .get();
        return List.of(
                Files.readString(files.resolve("ca.crt")),
                Files.readString(files.resolve("tls.crt")),
                text(client, "tls.crt"));
    }

    @Test
    void namesASecretWithForeignContentAndLeavesItAlone() throws Exception {
        cluster.create("""
                apiVersion: v1
                kind: Secret
                metadata: {name: foreign-ca, namespace: secret}
                stringData: {ca.crt: mine}
                """);
        Config config = Config.fromKubeconfig(Files.readString(cluster.server.kubeconfig()));
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
}
