package io.numaledger.bridge.server;

import io.numaledger.bridge.server.BridgeServer.Answer;
import io.numaledger.bridge.server.BridgeServer.Limits;
import io.numaledger.bridge.server.BridgeServer.Route;
import io.numaledger.bridge.server.HeadDecision.Refused;
import io.numaledger.bridge.server.HeadDecision.Review;
import io.numaledger.bridge.server.HeadDecision.Undecided;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

/** Requests whose head decides whether their body is read. */
class RequestGateTest {

    private static final int LIMIT = 20;
    private static final Answer WHO = Answer.text(401, "who are you?");
    private static final Route ECHO = request -> Answer.text(200, "echo=" + request.rest() + request.text());

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final CountDownLatch asked = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private BridgeServer server;

    @BeforeEach
    void start() throws IOException {
        Route busy = Route.on(
                task -> {
                    throw new RejectedExecutionException();
                },
                ECHO);
        Review allowed = Optional::empty;
        Review slow = () -> {
            asked.countDown();
            await(answered);
            return Optional.empty();
        };
        Review broken = () -> {
            throw new IOException("a bug");
        };
        server = new BridgeServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
                Optional.empty(),
                new Limits(LIMIT, 2, 99, 99, Duration.ofSeconds(30)),
                Map.of(
                        "/all", ECHO,
                        "/none", guarded(new Refused(WHO)),
                        "/asked", guarded(new Undecided(allowed)),
                        "/slow", guarded(new Undecided(slow)),
                        "/refused", guarded(new Undecided(() -> Optional.of(WHO))),
                        "/broken", guarded(new Undecided(broken)),
                        "/busy", new GuardedRoute(LIMIT, head -> new Undecided(allowed), busy),
                        "/short", new GuardedRoute(5, head -> HeadDecision.ACCEPTED, ECHO),
                        "/empty", GuardedRoute.withoutBody(ECHO)));
        server.start();
    }

    private Route guarded(HeadDecision decision) {
        return new GuardedRoute(LIMIT, head -> decision, Route.on(threads, ECHO));
    }

    private static void await(CountDownLatch latch) throws IOException {
        try {
            assertThat(latch.await(3, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException(e);
        }
    }

    @AfterEach
    void stop() {
        server.close();
        threads.shutdownNow();
    }

    /** Only the head is sent. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            refused by its head            | /none    | Content-Length: 15          | 401 | who are you?
            refused by a review            | /refused | Content-Length: 15          | 401 | who are you?
            refused, in parts              | /none    | Transfer-Encoding: chunked  | 401 | who are you?
            refused before it is too long  | /none    | Content-Length: 60000000    | 401 | who are you?
            too long for the server        | /all     | Content-Length: 21          | 413 | request body too long: limit=20 bytes
            too long for its route         | /short   | Content-Length: 6           | 413 | request body too long: limit=5 bytes
            too long to ask about          | /slow    | Content-Length: 60000000    | 413 | request body too long: limit=20 bytes
            a body where none is read      | /empty   | Content-Length: 1           | 413 | request body too long: limit=0 bytes
            an unknown path                | /nowhere | Content-Length: 15          | 404 | not found: path=/nowhere
            a malformed path               | /all/%zz | Content-Length: 15          | 400 | not an HTTP request
            a malformed parameter          | /all?a=% | Content-Length: 15          | 400 | not an HTTP request
            no thread is free for a review | /busy    | Content-Length: 15          | 429 | too many requests at once: path=/busy; retry later
            the review fails               | /broken  | Content-Length: 15          | 500 | internal error: path=/broken: java.io.IOException: a bug; see the log of the bridge
            """)
    void refusesBeforeTheBodyIsSent(String situation, String path, String header, int status, String text)
            throws IOException {
        for (String expect : new String[] {"", "Expect: 100-continue\r\n"}) {
            try (Socket caller = sent("POST %s HTTP/1.1\r\nHost: a\r\n%s%s\r\n\r\n".formatted(path, expect, header))) {
                assertThat(upTo(text + "\n", caller))
                        .startsWith("HTTP/1.1 %d ".formatted(status))
                        .contains("connection: close\r\n")
                        .endsWith("\r\n\r\n" + text + "\n");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/none", "/refused", "/broken", "/nowhere", "/short"})
    void takesNoBodyForARequest(String path) throws IOException {
        String hidden = "GET /all HTTP/1.1\r\nHost: a\r\n\r\n";
        String head = "POST %s HTTP/1.1\r\nHost: a\r\n".formatted(path);
        String whole = head + "Content-Length: %d\r\n\r\n%s".formatted(hidden.length(), hidden);
        String inParts =
                head + "Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n".formatted(hidden.length(), hidden);
        for (String request : new String[] {whole, inParts}) {
            try (Socket caller = sent(request + hidden)) {
                assertThat(rest(caller)).containsOnlyOnce("HTTP/1.1 ").doesNotContain("echo");
            }
        }
    }

    @Test
    void refusesABodyInPartsOnceItIsTooLong() throws IOException {
        String head = "POST /short HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        try (Socket caller = sent(head + "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n" + head + "3\r\nabc\r\n3\r\ndef\r\n")) {
            assertThat(rest(caller)).containsSubsequence("200 OK", "echo=abcde", "413 ", "limit=5 bytes");
        }
    }

    @Test
    void servesAcceptedRequestsInOrder() throws IOException {
        String head = "POST %s HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
        String body = "3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n";
        String end = "GET /empty/end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n";
        try (Socket caller = sent(head.formatted("/slow/a")
                + body
                + head.formatted("/asked/b")
                + body
                + head.formatted("/all/c")
                + body
                + end)) {
            await(asked);
            assertThat(caller.getInputStream().available()).isZero();
            answered.countDown();
            assertThat(rest(caller))
                    .containsSubsequence("echo=/aonetwo\n", "echo=/bonetwo\n", "echo=/conetwo\n", "echo=/end\n");
        }
    }

    @Test
    void continuesWithABodyThatIsAccepted() throws IOException {
        try (Socket caller = sent(
                "POST /asked HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nConnection: close\r\nContent-Length: 2\r\n\r\n")) {
            byte[] expected = "HTTP/1.1 100 Continue".getBytes(US_ASCII);
            assertThat(caller.getInputStream().readNBytes(expected.length)).isEqualTo(expected);
            caller.getOutputStream().write("me".getBytes(US_ASCII));
            assertThat(rest(caller)).contains("200 OK").endsWith("echo=me\n");
        }
    }

    /** Bodies of all requests may have twice the limit together; those of routes with a lower one, the limit. */
    @Test
    void givesRefusedCallersNoShareOfTheBodies() throws IOException {
        List<Socket> open = new ArrayList<>();
        try {
            for (String path : List.of("/none", "/refused", "/nowhere")) {
                for (int i = 0; i < 5; i++) {
                    open.add(sent(
                            "POST %s HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\nten bytes.".formatted(path)));
                }
            }
            for (int i = 0; i < 4; i++) {
                open.add(sent("POST /short HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nfour"));
            }
            for (Socket refused : open.subList(0, 15)) {
                assertThat(rest(refused)).contains("HTTP/1.1 40");
            }
            String whole = "POST %s HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: %d\r\n\r\n%s";
            open.add(sent("POST /all HTTP/1.1\r\nHost: a\r\nContent-Length: 20\r\n\r\n19 bytes..........."));
            try (Socket served = sent(whole.formatted("/all", 20, "20 bytes............"))) {
                assertThat(rest(served)).contains("200 OK");
            }
            try (Socket refused = sent(whole.formatted("/short", 5, "five!"))) {
                assertThat(rest(refused)).contains("503 ");
            }
        } finally {
            for (Socket each : open) {
                each.close();
            }
        }
    }

    private Socket sent(String request) throws IOException {
        Socket socket = new Socket();
        socket.connect(server.address());
        socket.setSoTimeout(30_000);
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        return socket;
    }

    /** The connection may stay open for a moment. */
    private static String upTo(String end, Socket socket) throws IOException {
        StringBuilder text = new StringBuilder();
        while (!text.toString().endsWith(end)) {
            int next = socket.getInputStream().read();
            if (next < 0) {
                break;
            }
            text.append((char) next);
        }
        return text.toString();
    }

    private static String rest(Socket socket) throws IOException {
        return new String(socket.getInputStream().readAllBytes(), US_ASCII);
    }
}
