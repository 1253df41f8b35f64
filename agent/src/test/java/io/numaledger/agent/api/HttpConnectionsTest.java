package io.numaledger.agent.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.numaledger.agent.api.HttpConnections.Answer;
import io.numaledger.agent.api.HttpConnections.Server;
import io.numaledger.agent.api.HttpConnections.Timeouts;
import io.numaledger.apiservers.fake.SelfSignedCertificate;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HttpConnectionsTest {

    private static final Timeouts TIMEOUTS = new Timeouts(Duration.ofSeconds(5), Duration.ofSeconds(30));

    private final List<Integer> clientPorts = Collections.synchronizedList(new ArrayList<>());
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<HttpServer> servers = new ArrayList<>();

    @TempDir
    private Path directory;

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
        threads.shutdownNow();
    }

    @Test
    void sendsTheNextRequestOnTheSameConnection() throws IOException {
        try (HttpConnections http = plain(TIMEOUTS)) {
            assertThat(text(http.send(get("/answer")))).isEqualTo("{}");
            assertThat(text(http.send(get("/answer")))).isEqualTo("{}");
        }
        assertThat(clientPorts).hasSize(2);
        assertThat(clientPorts.get(0)).isEqualTo(clientPorts.get(1));
    }

    @Test
    void opensAnotherConnectionAfterTheServerHasClosedIt() throws IOException {
        try (HttpConnections http = plain(TIMEOUTS)) {
            http.send(get("/last"));
            assertThat(text(http.send(get("/answer")))).isEqualTo("{}");
        }
    }

    @Test
    void waitsForNoAnswerLongerThanItShould() throws IOException {
        try (HttpConnections http = plain(new Timeouts(Duration.ofSeconds(5), Duration.ofMillis(300)))) {
            assertThatThrownBy(() -> http.send(get("/silent"))).isInstanceOf(SocketTimeoutException.class);
            assertThatThrownBy(() -> http.send(get("/trickle"))).isInstanceOf(SocketTimeoutException.class);
        }
    }

    @Test
    void endsAStreamFromAnotherThread() throws Exception {
        try (HttpConnections http = plain(TIMEOUTS)) {
            Answer<InputStream> answer = http.stream(get("/trickle"));
            CompletableFuture<Throwable> ended = new CompletableFuture<>();
            threads.execute(() -> {
                try {
                    while (answer.body().read() >= 0) {
                        // until it is closed
                    }
                } catch (IOException e) {
                    ended.complete(e);
                }
            });
            answer.body().close();
            assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(IOException.class);
        }
    }

    @Test
    void verifiesTheNameInTheCertificate() throws Exception {
        SelfSignedCertificate keys = SelfSignedCertificate.create(directory.resolve("keys.p12"));
        HttpsServer server = HttpsServer.create(loopback(), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(keys.server()));
        int port = serve(server);
        Optional<SSLContext> trusting = Optional.of(trusting(keys.certificate()));
        try (HttpConnections http =
                new HttpConnections(new Server("127.0.0.1", port, trusting, Optional.of("127.0.0.1")), TIMEOUTS)) {
            assertThat(text(http.send(get("/answer")))).isEqualTo("{}");
        }
        try (HttpConnections http =
                new HttpConnections(new Server("127.0.0.1", port, trusting, Optional.of("other.example")), TIMEOUTS)) {
            assertThatThrownBy(() -> http.send(get("/answer")))
                    .isInstanceOf(SSLHandshakeException.class)
                    .hasMessageContaining("other.example");
        }
    }

    /** The kubelet writes a new token for a service account long before the old one expires, but a node may sleep. */
    @Test
    void readsItsTokenAgainWhenTheServerDoesNotKnowIt() throws IOException {
        HttpServer server = HttpServer.create(loopback(), 0);
        int port = serve(server);
        Path kubeconfig = directory.resolve("kubeconfig");
        Files.writeString(kubeconfig, kubeconfig(port, "old"));
        RequestBudget budget = new RequestBudget(1000, 1000, System::nanoTime);
        try (ApiServer api = ApiServer.connect(Optional.of(kubeconfig), budget)) {
            assertThatThrownBy(() -> api.get("/token", ApiServer::ignoreBody)).hasMessageContaining("status=401");
            Files.writeString(kubeconfig, kubeconfig(port, "new"));
            assertThat(api.<Boolean>get("/token", ApiServer::ignoreBody)).isTrue();
            assertThat(api.bearerToken()).contains("new");
        }
    }

    private HttpConnections plain(Timeouts timeouts) throws IOException {
        int port = serve(HttpServer.create(loopback(), 0));
        return new HttpConnections(new Server("127.0.0.1", port, Optional.empty(), Optional.empty()), timeouts);
    }

    private static InetSocketAddress loopback() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private int serve(HttpServer server) {
        server.setExecutor(threads);
        server.createContext("/answer", exchange -> answer(exchange, 200));
        server.createContext("/last", exchange -> {
            exchange.getResponseHeaders().add("Connection", "close");
            answer(exchange, 200);
        });
        server.createContext(
                "/token",
                exchange -> answer(
                        exchange,
                        "Bearer new".equals(exchange.getRequestHeaders().getFirst("Authorization")) ? 200 : 401));
        server.createContext("/silent", exchange -> {
            while (true) {
                pause();
            }
        });
        server.createContext("/trickle", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            while (true) {
                exchange.getResponseBody().write(' ');
                exchange.getResponseBody().flush();
                pause();
            }
        });
        server.start();
        servers.add(server);
        return server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange, int status) throws IOException {
        clientPorts.add(exchange.getRemoteAddress().getPort());
        byte[] body = "{}".getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    /** Shorter than the time limit of an answer, so that only the whole answer takes too long. */
    private static void pause() throws IOException {
        try {
            TimeUnit.MILLISECONDS.sleep(100);
        } catch (InterruptedException e) {
            throw new IOException("the test ends", e);
        }
    }

    private static ClassicHttpRequest get(String path) {
        ClassicHttpRequest request = new BasicClassicHttpRequest("GET", path);
        request.setHeader("Host", "test");
        return request;
    }

    private static String text(Answer<byte[]> answer) {
        assertThat(answer.status()).isEqualTo(200);
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static SSLContext trusting(String certificate) throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
        store.load(null, null);
        store.setCertificateEntry(
                "ca",
                CertificateFactory.getInstance("X.509")
                        .generateCertificate(
                                new ByteArrayInputStream(certificate.getBytes(StandardCharsets.US_ASCII))));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return context;
    }

    private static String kubeconfig(int port, String token) {
        return """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {token: %s}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(port, token);
    }
}
