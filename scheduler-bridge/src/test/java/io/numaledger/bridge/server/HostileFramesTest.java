package io.numaledger.bridge.server;

import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.BridgeServer.Tls;
import io.numaledger.tls.CertificateAuthority;
import io.numaledger.tls.CertificateAuthority.Purpose;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/** Frames that break HTTP/2, or that are allowed and many (RFC 9113). Each such connection ends, and others are served. */
class HostileFramesTest {

    private static final int DATA = 0;
    private static final int HEADERS = 1;
    private static final int PRIORITY = 2;
    private static final int RESET = 3;
    private static final int SETTINGS = 4;
    private static final int PING = 6;
    private static final int WINDOW_UPDATE = 8;
    private static final int CONTINUATION = 9;

    private static final int END_STREAM = 1;
    private static final int END_HEADERS = 4;

    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NONE = new byte[0];

    /** {@code GET https://a/ok} (RFC 7541). */
    private static final byte[] GET = "\202\207\4\3/ok\1\1a".getBytes(StandardCharsets.ISO_8859_1);

    /** The same with the header {@code b} of 4,000 bytes, which is remembered as number 62, and then with it many times. */
    private static final byte[] GET_REMEMBERED = remembered();

    /** How much is sent at most: a tenth of it is enough. */
    private static final int MAX_FRAMES = 200_000;

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final AtomicInteger waiting = new AtomicInteger();
    private final CountDownLatch end = new CountDownLatch(1);
    private BridgeServer server;

    @BeforeEach
    void start() throws Exception {
        Instant now = Instant.now();
        CertificateAuthority authority = CertificateAuthority.create("ca", now, Duration.ofDays(1));
        Tls tls = new Tls(
                ConnectionLimitsTest.context(Optional.of(authority.issue(
                        "bridge", Purpose.SERVER, List.of("localhost"), List.of(), now, Duration.ofDays(1)))),
                chain -> false);
        Route ok = request -> Answer.text(200, "ok");
        Route waits = Route.on(threads, request -> {
            waiting.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            return Answer.text(200, "done");
        });
        server = new BridgeServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.of(tls),
                new Limits(1 << 10, 2, 16, 16, Duration.ofSeconds(3)),
                Map.of("/ok", ok, "/no", waits));
        server.start();
    }

    @AfterEach
    void stop() {
        end.countDown();
        server.close();
        threads.shutdownNow();
    }

    static Stream<Arguments> attacks() {
        return Stream.of(
                attack("no HTTP/2", "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII), i -> NONE),
                attack("a frame that is too long", frame(DATA, 0, 1, new byte[1 << 15]), i -> NONE),
                attack("headers without end", frame(HEADERS, END_STREAM, 1, GET), i -> NONE),
                attack("nothing after the preface", NONE, i -> NONE),
                attack("a request whose body never comes", frame(HEADERS, END_HEADERS, 1, GET), i -> NONE),
                attack(
                        "continuations without end",
                        frame(HEADERS, END_STREAM, 1, GET),
                        i -> frame(CONTINUATION, 0, 1, "\0\1a\1b".getBytes(StandardCharsets.US_ASCII))),
                attack(
                        "long continuations",
                        frame(HEADERS, END_STREAM, 1, GET),
                        i -> frame(
                                CONTINUATION,
                                0,
                                1,
                                ("\0\1a\177\1" + "b".repeat(128)).repeat(100).getBytes(StandardCharsets.US_ASCII))),
                attack("empty continuations", frame(HEADERS, END_STREAM, 1, GET), i -> frame(CONTINUATION, 0, 1, NONE)),
                attack(
                        "headers that unpack to many",
                        NONE,
                        i -> frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, GET_REMEMBERED)),
                attack(
                        "rapid reset",
                        NONE,
                        i -> join(
                                frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, GET),
                                frame(RESET, 0, 2 * i + 1, number(8)))),
                attack(
                        "streams that the server has to reset",
                        NONE,
                        i -> join(
                                frame(HEADERS, END_HEADERS, 2 * i + 1, GET),
                                frame(WINDOW_UPDATE, 0, 2 * i + 1, number(0)))),
                attack("settings", NONE, i -> frame(SETTINGS, 0, 0, NONE)),
                attack("pings", NONE, i -> frame(PING, 0, 0, new byte[8])),
                attack("priorities", NONE, i -> frame(PRIORITY, 0, 2 * i + 1, new byte[5])),
                attack("frames of an unknown type", NONE, i -> frame(99, 0, 0, new byte[100])),
                attack("empty data", frame(HEADERS, END_HEADERS, 1, GET), i -> frame(DATA, 0, 1, NONE)),
                attack("padding only", frame(HEADERS, END_HEADERS, 1, GET), i -> frame(DATA, 8, 1, padding())),
                attack("a window that is too large", NONE, i -> frame(WINDOW_UPDATE, 0, 0, number(Integer.MAX_VALUE))));
    }

    private static Arguments attack(String name, byte[] once, IntFunction<byte[]> repeated) {
        return arguments(name, once, repeated);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    void endTheConnection(String name, byte[] once, IntFunction<byte[]> repeated) throws Exception {
        SSLSocket socket = connected();
        Future<?> sent = threads.submit(() -> send(socket, once, repeated));

        assertOthersAreServed();
        long answered = drain(socket);
        assertThat(answered).as("bytes of the answers").isLessThan(8 << 20);
        sent.get(1, TimeUnit.MINUTES);
        assertOthersAreServed();
    }

    /** Nobody reads what the server answers. */
    @ParameterizedTest(name = "{0}")
    @MethodSource("attacks")
    void endTheConnectionThatIsNotRead(String name, byte[] once, IntFunction<byte[]> repeated) throws Exception {
        SSLSocket socket = connected();
        Future<?> sent = threads.submit(() -> send(socket, once, repeated));

        assertOthersAreServed();
        sent.get(1, TimeUnit.MINUTES);
        socket.close();
    }

    /** A limit on streams holds before the client has confirmed it, too. */
    @Test
    void aClientThatDoesNotConfirmTheSettingsHasOneRequestAtATime() throws Exception {
        SSLSocket socket = connected();
        byte[] get = "\202\207\4\3/no\1\1a".getBytes(StandardCharsets.ISO_8859_1);
        socket.getOutputStream().write(join(PREFACE, frame(SETTINGS, 0, 0, NONE)));
        for (int i = 0; i < 50; i++) {
            socket.getOutputStream().write(frame(HEADERS, END_HEADERS | END_STREAM, 2 * i + 1, get));
        }

        assertOthersAreServed();
        int resets = 0;
        while (resets < 49) {
            resets += readFrame(socket) == RESET ? 1 : 0;
        }
        assertThat(waiting).hasValue(1);
    }

    private static int readFrame(SSLSocket socket) throws IOException {
        byte[] head = socket.getInputStream().readNBytes(9);
        assertThat(head).as("the connection has ended").hasSize(9);
        int length = ByteBuffer.wrap(head).getInt() >>> 8;
        socket.getInputStream().readNBytes(length);
        return head[3];
    }

    private static void send(SSLSocket socket, byte[] once, IntFunction<byte[]> repeated) {
        try {
            if (once.length == 0 || once[0] != 'G') {
                socket.getOutputStream().write(join(PREFACE, frame(SETTINGS, 0, 0, NONE)));
            }
            socket.getOutputStream().write(once);
            for (int i = 0; i < MAX_FRAMES && repeated.apply(0).length > 0; i++) {
                socket.getOutputStream().write(repeated.apply(i));
            }
        } catch (IOException closed) {
            // as it should be
        }
    }

    /** Until the connection ends. Returns how many bytes came. */
    private static long drain(SSLSocket socket) {
        long bytes = 0;
        try {
            byte[] buffer = new byte[1 << 16];
            for (int read = 0; read >= 0; read = socket.getInputStream().read(buffer)) {
                bytes += read;
            }
        } catch (SocketTimeoutException stillOpen) {
            throw new AssertionError("the connection is still open", stillOpen);
        } catch (IOException reset) {
            // it has ended
        }
        return bytes;
    }

    private void assertOthersAreServed() throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(
                        "https://localhost:%d/ok".formatted(server.address().getPort())))
                .timeout(Duration.ofSeconds(30))
                .build();
        HttpClient client = HttpClient.newBuilder()
                .sslContext(ConnectionLimitsTest.context(Optional.empty()))
                .build();

        assertThat(client.send(request, BodyHandlers.ofString()).body()).isEqualTo("ok\n");
    }

    private SSLSocket connected() throws Exception {
        SSLSocket socket = (SSLSocket) ConnectionLimitsTest.context(Optional.empty())
                .getSocketFactory()
                .createSocket("localhost", server.address().getPort());
        SSLParameters parameters = socket.getSSLParameters();
        parameters.setApplicationProtocols(new String[] {"h2"});
        socket.setSSLParameters(parameters);
        socket.setSoTimeout(30_000);
        socket.startHandshake();
        return socket;
    }

    private static byte[] frame(int type, int flags, int stream, byte[] payload) {
        return ByteBuffer.allocate(9 + payload.length)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload)
                .array();
    }

    private static byte[] number(int value) {
        return ByteBuffer.allocate(4).putInt(value).array();
    }

    private static byte[] padding() {
        byte[] padded = new byte[101];
        padded[0] = 100;
        return padded;
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] remembered() {
        byte[] length = {0x7f, (byte) 0xa1, 0x1e}; // 127 + 0x21 + (0x1e << 7) = 4000
        byte[] header = join(
                "\100\1b".getBytes(StandardCharsets.US_ASCII),
                length,
                "b".repeat(4_000).getBytes(StandardCharsets.US_ASCII));
        byte[] again = new byte[10_000];
        Arrays.fill(again, (byte) (0x80 | 62));
        return join(GET, header, again);
    }
}
