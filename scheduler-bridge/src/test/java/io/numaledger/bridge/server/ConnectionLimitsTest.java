package io.numaledger.bridge.server;

import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.BridgeServer.Tls;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Issued;
import io.numaledger.tls.CertificateAuthority.Purpose;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** What callers with many connections leave for others. Attackers connect from 127.0.0.2 and the addresses after it. */
class ConnectionLimitsTest {

    private static final InetSocketAddress ANY_PORT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    private static final Route OK = request -> Answer.text(200, "ok");
    private static final String GET = "GET /ok HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String GET_AND_CLOSE = "GET /ok HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";

    /** The preface, empty settings, and the headers of {@code GET https://a/ok} (RFC 9113, RFC 7541). */
    private static final byte[] HTTP2_GET = ("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
                    + "\0\0\0\4\0\0\0\0\0"
                    + "\0\0\12\1\5\0\0\0\1"
                    + "\202\207\4\3/ok\1\1a")
            .getBytes(ISO_8859_1);

    private final AtomicInteger knownHandshakes = new AtomicInteger();
    private final Instant now = Instant.now();
    private final CertificateAuthority authority = CertificateAuthority.create("ca", now, Duration.ofDays(1));
    private final Issued serving = issued("bridge", Purpose.SERVER);
    private final Issued scheduler = issued("scheduler", Purpose.CLIENT);

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<Socket> open = new ArrayList<>();

    @AfterEach
    void closeAll() throws IOException {
        threads.shutdownNow();
        for (Socket socket : open) {
            socket.close();
        }
    }

    @ParameterizedTest(name = "[{index}] sent={0}")
    @ValueSource(strings = {"", "GET /ok HTTP/1.1\r\nHo", GET})
    void answersAProbeBesideSilentConnectionsOfItsOwnAddress(String sent) throws Exception {
        try (BridgeServer server = plain(16)) {
            for (int i = 0; i < 80; i++) {
                write(connected("127.0.0.1", server), sent);
            }

            for (int i = 0; i < 20; i++) {
                assertThat(answer(connected("127.0.0.1", server))).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    @ParameterizedTest(name = "from {0} addresses")
    @ValueSource(ints = {1, 4, 200})
    void answersAKnownClientThatConnectsBesideSilentConnections(int addresses) throws Exception {
        try (BridgeServer server = https(new Limits(10, 2, 64, 16, Duration.ofSeconds(30)), Map.of("/ok", OK))) {
            SSLSocket established = answered(secure("127.0.0.1", server, Optional.of(scheduler), "TLSv1.3"));
            for (int i = 0; i < 200; i++) {
                connected("127.0.0." + (2 + i % addresses), server);
            }

            answered(secure("127.0.0.1", server, Optional.of(scheduler), "TLSv1.3"));
            answered(secure("127.0.0.2", server, Optional.of(scheduler), "TLSv1.3"));
            answered(established);
        }
    }

    @Test
    void limitsTheConnectionsOfAnAddressButNotThoseOfKnownClients() throws Exception {
        try (BridgeServer server = https(new Limits(10, 2, 10, 2, Duration.ofSeconds(30)), Map.of("/ok", OK))) {
            List<SSLSocket> known = new ArrayList<>();
            for (int i = 0; i < 15; i++) {
                known.add(answered(secure("127.0.0.1", server, Optional.of(scheduler), "TLSv1.3")));
            }
            List<Socket> anonymous = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                anonymous.add(answered(secure("127.0.0.1", server, Optional.empty(), "TLSv1.3")));
            }

            for (SSLSocket each : known) {
                answered(each);
            }
            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> anonymous.stream()
                                    .filter(ConnectionLimitsTest::isClosed)
                                    .count()
                            == 28);
            assertThat(anonymous.subList(28, 30)).noneMatch(ConnectionLimitsTest::isClosed);
        }
    }

    @Test
    void closesSilentConnectionsOfTheAddressWithTheMostFirst() throws Exception {
        try (BridgeServer server = https(new Limits(10, 2, 50, 40, Duration.ofSeconds(30)), Map.of("/ok", OK))) {
            SSLSocket oldest = answered(secure("127.0.0.1", server, Optional.empty(), "TLSv1.3"));
            List<Socket> flood = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                flood.add(connected("127.0.0.2", server));
                flood.add(connected("127.0.0.3", server));
            }

            answered(oldest);
            Awaitility.await()
                    .atMost(Duration.ofMinutes(3))
                    .until(() -> flood.stream()
                                    .filter(ConnectionLimitsTest::isClosed)
                                    .count()
                            == 951);
        }
    }

    @Test
    void closesNoConnectionWhoseRequestIsBeingAnswered() throws Exception {
        CountDownLatch busy = new CountDownLatch(2);
        CountDownLatch free = new CountDownLatch(1);
        Route waits = Route.on(threads, request -> {
            busy.countDown();
            await(free);
            return Answer.text(200, "done");
        });
        try (BridgeServer server = new BridgeServer(
                ANY_PORT,
                Optional.empty(),
                new Limits(10, 2, 3, 3, Duration.ofSeconds(30)),
                Map.of("/waits", waits, "/ok", OK))) {
            server.start();
            List<Socket> asking = List.of(connected("127.0.0.1", server), connected("127.0.0.1", server));
            for (Socket each : asking) {
                write(each, "GET /waits HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
            }
            assertThat(busy.await(3, TimeUnit.MINUTES)).isTrue();
            for (int i = 0; i < 20; i++) {
                connected("127.0.0.1", server);
            }

            assertThat(answer(connected("127.0.0.1", server))).startsWith("HTTP/1.1 200 ");
            free.countDown();
            for (Socket each : asking) {
                assertThat(rest(each)).endsWith("done\n");
            }
        }
    }

    /** One caller sends requests without end, and reads no answer. */
    @Test
    void answersAProbeBesideRequestsThatAreSentAtOnce() throws Exception {
        try (BridgeServer server = plain(16)) {
            for (int i = 0; i < 8; i++) {
                Socket flooding = connected("127.0.0.2", server);
                threads.execute(() -> writeWithoutEnd(flooding));
            }

            for (int i = 0; i < 20; i++) {
                assertThat(answer(connected("127.0.0.1", server))).startsWith("HTTP/1.1 200 ");
            }
        }
    }

    private static void writeWithoutEnd(Socket socket) {
        byte[] requests = GET.repeat(1_000).getBytes(US_ASCII);
        try {
            while (true) {
                socket.getOutputStream().write(requests);
            }
        } catch (IOException closed) {
            // the test is over
        }
    }

    @Test
    void closesASilentConnectionInTimeUnlessItsClientIsKnown() throws Exception {
        try (BridgeServer server = https(new Limits(10, 2, 10, 10, Duration.ofSeconds(3)), Map.of("/ok", OK))) {
            SSLSocket known = secure("127.0.0.1", server, Optional.of(scheduler), "TLSv1.3");
            SSLSocket anonymous = secure("127.0.0.1", server, Optional.empty(), "TLSv1.3");
            SSLSocket afterItsAnswer = answered(secure("127.0.0.1", server, Optional.empty(), "TLSv1.3"));

            assertThat(anonymous.getInputStream().read()).isNegative();
            assertThat(afterItsAnswer.getInputStream().read()).isNegative();
            answered(known);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void refusesASecondHandshakeOfAClient(boolean known) throws Exception {
        Optional<Issued> own = known ? Optional.of(scheduler) : Optional.empty();
        try (BridgeServer server = https(Limits.DEFAULT, Map.of("/ok", OK))) {
            SSLSocket socket = answered(secure("127.0.0.1", server, own, "TLSv1.2"));

            assertThatThrownBy(() -> {
                        socket.startHandshake();
                        answered(socket);
                    })
                    .isInstanceOf(IOException.class);
            answered(secure("127.0.0.1", server, own, "TLSv1.2"));
        }
    }

    @Test
    void servesRequestsOfAKnownClientAtOnceOverOneConnection() throws Exception {
        CountDownLatch together = new CountDownLatch(5);
        Route waiting = Route.on(threads, request -> {
            together.countDown();
            return Answer.text(awaited(together) ? 200 : 504, request.client().size() + request.text());
        });
        try (BridgeServer server = https(new Limits(10, 2, 10, 10, Duration.ofSeconds(30)), Map.of("/wait", waiting))) {
            HttpClient client = client(Optional.of(scheduler));
            assertThat(client.send(request(server, "12345678901"), BodyHandlers.ofString())
                            .statusCode())
                    .isEqualTo(413);
            List<CompletableFuture<HttpResponse<String>>> answers = Stream.of("a", "b", "c", "d", "e")
                    .map(body -> client.sendAsync(request(server, body), BodyHandlers.ofString()))
                    .toList();

            assertThat(answers)
                    .extracting(answer -> answer.get(30, TimeUnit.SECONDS).body())
                    .containsExactly("1a\n", "1b\n", "1c\n", "1d\n", "1e\n");
            assertThat(answers.get(0).get().version()).isEqualTo(HttpClient.Version.HTTP_2);
            assertThat(knownHandshakes).hasValue(1);
        }
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            return latch.await(20, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static HttpClient client(Optional<Issued> own) throws Exception {
        return HttpClient.newBuilder().sslContext(context(own)).build();
    }

    private static HttpRequest request(BridgeServer server, String body) {
        return HttpRequest.newBuilder(URI.create(
                        "https://localhost:%d/wait".formatted(server.address().getPort())))
                .POST(BodyPublishers.ofString(body))
                .build();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void closesASilentConnectionOfAnUnknownClientOverHttp2(boolean answered) throws Exception {
        try (BridgeServer server = https(new Limits(10, 2, 10, 10, Duration.ofSeconds(2)), Map.of("/ok", OK))) {
            SSLSocket socket = (SSLSocket) context(Optional.empty())
                    .getSocketFactory()
                    .createSocket(
                            connected("127.0.0.1", server),
                            "localhost",
                            server.address().getPort(),
                            true);
            SSLParameters parameters = socket.getSSLParameters();
            parameters.setApplicationProtocols(new String[] {"h2"});
            socket.setSSLParameters(parameters);
            socket.startHandshake();
            if (answered) {
                socket.getOutputStream().write(HTTP2_GET);
            }

            String received = new String(socket.getInputStream().readAllBytes(), US_ASCII);
            assertThat(received.contains("ok\n")).isEqualTo(answered);
        }
    }

    private static BridgeServer plain(int connections) throws IOException {
        BridgeServer server = new BridgeServer(
                ANY_PORT,
                Optional.empty(),
                new Limits(1 << 10, 1, connections, connections, Duration.ofSeconds(30)),
                Map.of("/ok", OK));
        server.start();
        return server;
    }

    private BridgeServer https(Limits limits, Map<String, Route> routes) throws Exception {
        Tls tls = new Tls(context(Optional.of(serving)), chain -> {
            knownHandshakes.incrementAndGet();
            return chain.get(0).equals(scheduler.certificate());
        });
        BridgeServer server = new BridgeServer(ANY_PORT, Optional.of(tls), limits, routes);
        server.start();
        return server;
    }

    private Issued issued(String name, Purpose purpose) {
        return authority.issue(name, purpose, List.of("localhost"), List.of(), now, Duration.ofDays(1));
    }

    static SSLContext context(Optional<Issued> own) throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        if (own.isPresent()) {
            store.setKeyEntry("own", own.get().key(), new char[0], new Certificate[] {
                own.get().certificate()
            });
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, new char[0]);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(keys.getKeyManagers(), new TrustManager[] {new TrustsAll()}, null);
        return context;
    }

    private Socket connected(String from, BridgeServer server) throws IOException {
        Socket socket = new Socket();
        open.add(socket);
        socket.bind(new InetSocketAddress(InetAddress.getAllByName(from)[0], 0));
        socket.connect(server.address());
        socket.setSoTimeout(30_000);
        return socket;
    }

    private SSLSocket secure(String from, BridgeServer server, Optional<Issued> own, String protocol) throws Exception {
        SSLSocket socket = (SSLSocket) context(own)
                .getSocketFactory()
                .createSocket(
                        connected(from, server), "localhost", server.address().getPort(), true);
        open.add(socket);
        socket.setEnabledProtocols(new String[] {protocol});
        socket.startHandshake();
        return socket;
    }

    /** Sends one request and reads its answer. */
    private static SSLSocket answered(SSLSocket socket) throws IOException {
        socket.getOutputStream().write(GET.getBytes(US_ASCII));
        StringBuilder answer = new StringBuilder();
        while (!answer.toString().endsWith("\r\n\r\nok\n")) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                throw new IOException("the server closed the connection");
            }
            answer.append((char) next);
        }
        return socket;
    }

    private static void write(Socket socket, String bytes) {
        try {
            socket.getOutputStream().write(bytes.getBytes(US_ASCII));
        } catch (IOException closed) {
            // made room for another one
        }
    }

    private static String answer(Socket socket) throws IOException {
        socket.getOutputStream().write(GET_AND_CLOSE.getBytes(US_ASCII));
        return rest(socket);
    }

    private static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
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

    private static void await(CountDownLatch latch) throws IOException {
        try {
            assertThat(latch.await(3, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    /** Believes everybody. */
    private static final class TrustsAll implements X509TrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) {}

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) {}

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return new X509Certificate[0];
        }
    }
}
