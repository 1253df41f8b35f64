package io.numaledger.agent.health;

import io.numaledger.tls.ReloadableKeys;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class HealthServerTest {

    private static final ListenAddress ANY = ListenAddress.parse("127.0.0.1:0");
    private static final char[] PASSWORD = "changeit".toCharArray();

    @TempDir
    private Path directory;

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final Freshness freshness = new Freshness(Duration.ofMinutes(3), () -> now);

    @Test
    void isReadyFromTheFirstSuccessUntilItIsTooOld() throws IOException, InterruptedException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "")) {
            assertThat(get(server, "/readyz"))
                    .returns(503, HttpResponse::statusCode)
                    .returns(
                            "nothing is published yet; see the agent's log for what it waits for\n",
                            HttpResponse::body);
            freshness.succeeded();
            assertThat(get(server, "/readyz").statusCode()).isEqualTo(200);
            now = now.plus(Duration.ofSeconds(181));
            assertThat(get(server, "/readyz"))
                    .returns(503, HttpResponse::statusCode)
                    .returns(
                            "the last success is too old: age=181s limit=180s; see the agent's log\n",
                            HttpResponse::body);
        }
    }

    @Test
    void isHealthyWhileTheLoopStirs() throws IOException, InterruptedException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "")) {
            now = now.plus(Duration.ofMinutes(8));
            assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
            now = now.plusSeconds(1);
            assertThat(get(server, "/healthz").statusCode()).isEqualTo(503);
            freshness.madeProgress();
            assertThat(get(server, "/healthz").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void servesTheMetricsOfTheMoment() throws IOException, InterruptedException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "a 1\n")) {
            HttpResponse<String> answer = get(server, "/metrics");

            assertThat(answer.body()).isEqualTo("a 1\n");
            assertThat(answer.headers().firstValue("Content-Type"))
                    .contains("text/plain; version=0.0.4; charset=utf-8");
        }
    }

    @Test
    void answersHeadAndManyRequestsOfOneConnection() throws IOException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "a 1\n");
                Socket socket = connected("127.0.0.1", server)) {
            write(socket, "HEAD /metrics HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(readUntil("\r\n\r\n", socket)).matches("(?s)HTTP/1.1 200 OK\r\n[^\n]*\n[^\n]*length: 4\r\n\r\n");

            write(socket, "GET /healthz?verbose HTTP/1.1\r\nConnection: close\r\n\r\n");
            assertThat(rest(socket)).matches("(?s)HTTP/1.1 200 OK.*\r\n\r\nok\n");
        }
    }

    @Test
    void disconnectsAClientThatDoesNotWaitForItsAnswer() throws IOException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "a 1\n");
                Socket socket = connected("127.0.0.1", server)) {
            write(socket, "GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".repeat(10));

            assertThat(rest(socket)).containsOnlyOnce("200 OK");
        }
    }

    @ParameterizedTest(name = "from {0} addresses")
    @ValueSource(ints = {1, 7, 300})
    void closesTheOldestSilentConnectionsForNewOnes(int addresses) throws IOException {
        List<Socket> silent = new ArrayList<>();
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "")) {
            for (int i = 0; i < 300; i++) {
                silent.add(connected("127.0.%d.%d".formatted(i % addresses / 100, 2 + i % addresses % 100), server));
            }
            for (int i = 0; i < 100; i++) {
                try (Socket probe = connected("127.0.0.1", server)) {
                    write(probe, "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n");
                    assertThat(rest(probe)).startsWith("HTTP/1.1 200 OK");
                }
            }

            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() ->
                            silent.stream().filter(HealthServerTest::isClosed).count() >= 300 - 64);
            assertThat(silent.subList(300 - 60, 300)).noneMatch(HealthServerTest::isClosed);
        } finally {
            for (Socket socket : silent) {
                socket.close();
            }
        }
    }

    private static Socket connected(String from, HealthServer server) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress(InetAddress.getAllByName(from)[0], 0));
        socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
        socket.setSoTimeout(30_000);
        return socket;
    }

    private static void write(Socket socket, String request) throws IOException {
        socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
    }

    private static String readUntil(String end, Socket socket) throws IOException {
        StringBuilder read = new StringBuilder();
        while (!read.toString().endsWith(end)) {
            int next = socket.getInputStream().read();
            assertThat(next).isNotNegative();
            read.append((char) next);
        }
        return read.toString();
    }

    /** What comes until the server closes the connection, also with a reset. */
    private static String rest(Socket socket) throws IOException {
        StringBuilder read = new StringBuilder();
        try {
            for (int next = socket.getInputStream().read();
                    next >= 0;
                    next = socket.getInputStream().read()) {
                read.append((char) next);
            }
        } catch (SocketException reset) {
            return read.toString();
        }
        return read.toString();
    }

    private static boolean isClosed(Socket socket) {
        try {
            socket.setSoTimeout(1);
            return socket.getInputStream().read() < 0;
        } catch (SocketTimeoutException stillOpen) {
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @Test
    void refusesASecondHandshakeOfAClient() throws Exception {
        KeyStore keys = keyStore("first");
        write(keys, FileTime.from(now));
        ReloadableKeys served = ReloadableKeys.read(directory.resolve("tls.crt"), directory.resolve("tls.key"));
        try (HealthServer server = HealthServer.start(ANY, Optional.of(served), freshness, () -> "");
                SSLSocket socket = (SSLSocket)
                        trusting(keys).sslContext().getSocketFactory().createSocket("127.0.0.1", server.port())) {
            socket.setSoTimeout(30_000);
            socket.setEnabledProtocols(new String[] {"TLSv1.2"});
            write(socket, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(readUntil("ok\n", socket)).startsWith("HTTP/1.1 200 OK");

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        write(socket, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n");
                        readUntil("ok\n", socket);
                    })
                    .isInstanceOfAny(IOException.class, AssertionError.class);
        }
    }

    @Test
    void answersOtherPathsAndOtherTalk() throws IOException, InterruptedException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "");
                Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
            assertThat(get(server, "/").statusCode()).isEqualTo(404);

            socket.getOutputStream().write("hello\r\n\r\n".getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void saysWhichAddressCannotBeListenedAt() throws IOException {
        try (HealthServer server = HealthServer.start(ANY, Optional.empty(), freshness, () -> "")) {
            ListenAddress taken = ListenAddress.parse("127.0.0.1:" + server.port());

            assertThatThrownBy(() -> HealthServer.start(taken, Optional.empty(), freshness, () -> ""))
                    .hasMessage(
                            "cannot listen: address=127.0.0.1:%d: Address already in use; choose another with --listen"
                                    .formatted(server.port()));
        }
    }

    @Test
    void servesTheRenewedCertificate() throws IOException, InterruptedException, GeneralSecurityException {
        KeyStore first = keyStore("first");
        KeyStore second = keyStore("second");
        write(first, FileTime.from(now));
        ReloadableKeys keys = ReloadableKeys.read(directory.resolve("tls.crt"), directory.resolve("tls.key"));
        try (HealthServer server = HealthServer.start(ANY, Optional.of(keys), freshness, () -> "a 1\n")) {
            assertThat(getTls(server, first)).isEqualTo("a 1\n");
            write(second, FileTime.from(now.plusSeconds(1)));
            assertThat(getTls(server, second)).isEqualTo("a 1\n");
        }
    }

    private void write(KeyStore keys, FileTime time) throws IOException, GeneralSecurityException {
        Files.setLastModifiedTime(
                pem("tls.crt", "CERTIFICATE", keys.getCertificate("server").getEncoded()), time);
        Files.setLastModifiedTime(
                pem("tls.key", "PRIVATE KEY", keys.getKey("server", PASSWORD).getEncoded()), time);
    }

    private static String getTls(HealthServer server, KeyStore trusted)
            throws IOException, InterruptedException, GeneralSecurityException {
        URI uri = URI.create("https://localhost:%d/metrics".formatted(server.port()));
        return trusting(trusted)
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }

    @Test
    void saysWhichKeysCannotBeUsed() throws IOException {
        Path key = Files.writeString(directory.resolve("tls.key"), "no key");

        assertThatThrownBy(() -> ReloadableKeys.read(directory.resolve("tls.crt"), key))
                .isInstanceOf(IOException.class)
                .hasMessageStartingWith("cannot use the certificate: cert=" + directory.resolve("tls.crt"))
                .hasMessageEndingWith("; give a PEM certificate and its unencrypted PEM key");
    }

    @Test
    void saysWhatAnAddressLooksLike() {
        assertThatThrownBy(() -> ListenAddress.parse("9464"))
                .hasMessage("'9464' is no address; expected such as :9464, 127.0.0.1:9464 or off");
    }

    private static HttpResponse<String> get(HealthServer server, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:%d%s".formatted(server.port(), path));
        return HttpClient.newHttpClient().send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString());
    }

    private KeyStore keyStore(String name) throws IOException, InterruptedException, GeneralSecurityException {
        Path file = directory.resolve(name + ".p12");
        List<String> command = List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-alias",
                "server",
                "-keyalg",
                "EC",
                "-dname",
                "CN=localhost",
                "-ext",
                "SAN=DNS:localhost",
                "-storetype",
                "PKCS12",
                "-storepass",
                "changeit",
                "-keystore",
                file.toString());
        Process keytool = new ProcessBuilder(command).inheritIO().start();
        assertThat(keytool.waitFor()).isZero();
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD);
        }
        return keys;
    }

    private Path pem(String name, String type, byte[] bytes) throws IOException {
        String text = Base64.getMimeEncoder().encodeToString(bytes);
        return Files.writeString(
                directory.resolve(name), "-----BEGIN %s-----%n%s%n-----END %s-----%n".formatted(type, text, type));
    }

    private static HttpClient trusting(KeyStore keys) throws GeneralSecurityException, IOException {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("server", keys.getCertificate("server"));
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, factory.getTrustManagers(), null);
        return HttpClient.newBuilder().sslContext(context).build();
    }
}
