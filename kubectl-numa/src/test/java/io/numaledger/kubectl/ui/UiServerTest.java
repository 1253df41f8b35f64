package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.numaledger.kubectl.client.UnknownNameException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests as bytes, because clients do not let their caller choose each header. */
class UiServerTest {

    private final Changes changes = new Changes();
    private UiData data;
    private UiServer server;
    private final List<Socket> held = new ArrayList<>();

    @BeforeEach
    void start() throws IOException {
        data = new UiData(Map.of(
                "echo",
                (path, query) ->
                        JsonNodeFactory.instance.objectNode().put("path", path).put("q", query.get("q")),
                "broken",
                (path, query) -> {
                    throw new IOException("no cluster: <b>");
                },
                "node",
                (path, query) -> {
                    throw UnknownNameException.node(path, List.of());
                }));
        server = new UiServer(0, data, changes);
    }

    @AfterEach
    void stop() throws IOException {
        for (Socket each : held) {
            each.close();
        }
        server.close();
    }

    private int port() {
        return server.url().getPort();
    }

    private Socket connect() throws IOException {
        return new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port());
    }

    /** @param headers each with the end of its line */
    private Socket send(String method, String path, String host, String headers) throws IOException {
        Socket socket = connect();
        socket.getOutputStream()
                .write("%s %s HTTP/1.1\r\nHost: %s\r\nCookie: other=1\r\n%s\r\n"
                        .formatted(method, path, host, headers)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String answer(String method, String path, String host, String headers) throws IOException {
        try (Socket socket = send(method, path, host, headers)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path, String headers) throws IOException {
        return answer("GET", path, "127.0.0.1:" + port(), headers);
    }

    private static String bearer(String secret) {
        return "Authorization: Bearer " + secret + "\r\n";
    }

    private String token() {
        return server.url().getFragment().substring("token=".length());
    }

    private String sendToken() throws IOException {
        return answer("POST", "/session", "127.0.0.1:" + port(), bearer(token()));
    }

    private static String body(String answer) {
        return answer.split("\r\n\r\n", 2)[1].strip();
    }

    /** As the page does it that is opened by the printed URL. Returns the header for its requests. */
    private String enter() throws IOException {
        return bearer(body(sendToken()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/data/echo", "/data/nothing", "/events"})
    void refusesWhoHasNoSession(String path) throws IOException {
        String session = body(sendToken());
        for (String headers : List.of(
                "",
                bearer(""),
                bearer("wrong"),
                bearer(token()),
                "Authorization: " + session + "\r\n",
                "Cookie: session=%s; kubectl-numa-%d=%s\r\n".formatted(session, port(), session))) {
            assertThat(get(path, headers))
                    .as(headers)
                    .startsWith("HTTP/1.1 403 ")
                    .endsWith("the URL that is printed opens once, in one browser; start kubectl numa ui again\n");
        }
        assertThat(get(path + "?token=" + token() + "&session=" + session, "")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void givesTheSessionToTheFirstWhoSendsTheToken() throws IOException {
        assertThat(answer("POST", "/session", "127.0.0.1:" + port(), bearer("wrong")))
                .startsWith("HTTP/1.1 403 ");
        assertThat(sendToken())
                .startsWith("HTTP/1.1 200 ")
                .doesNotContainIgnoringCase("Set-Cookie")
                .doesNotContain(token());
        assertThat(sendToken()).startsWith("HTTP/1.1 403 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/app.js", "/style.css"})
    void givesTheFilesOfTheReleaseToEverybody(String path) throws IOException {
        String session = body(sendToken());

        assertThat(get(path, ""))
                .startsWith("HTTP/1.1 200 ")
                .doesNotContain(token(), session)
                .doesNotContainIgnoringCase("Set-Cookie");
    }

    @Test
    void servesThePageAndItsData() throws IOException {
        String session = enter();

        assertThat(get("/", session))
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("Content-Type: text/html; charset=utf-8")
                .contains("<script type=\"module\" src=\"app.js\">");
        assertThat(get("/app.js", session)).containsIgnoringCase("Content-Type: text/javascript; charset=utf-8");
        assertThat(get("/data/echo/a%3Cb%2Fc?q=%26x", session))
                .containsIgnoringCase("Content-Type: application/json; charset=utf-8")
                .endsWith("{\"path\":\"a<b/c\",\"q\":\"&x\"}");
        assertThat(get("/data/broken", session))
                .startsWith("HTTP/1.1 500 ")
                .endsWith("{\"error\":\"no cluster: <b>\"}");
        assertThat(get("/data/node/nope", session)).startsWith("HTTP/1.1 404 ").contains("no such node: node=nope");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/data/",
                "/data/other",
                "/UiServer.class",
                "/../view/x.js",
                "/%2e%2e/a.js",
                "/nothing.js",
                "/ui/app.js"
            })
    void servesNothingElse(String path) throws IOException {
        assertThat(get(path, enter())).startsWith("HTTP/1.1 404 ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"example.com", "example.com:%d", "127.0.0.1", "127.0.0.1:1", "127.0.0.1.example.com:%d", ""})
    void refusesOtherHosts(String host) throws IOException {
        String session = enter();

        assertThat(answer("GET", "/", host.formatted(port()), session)).startsWith("HTTP/1.1 403 ");
        assertThat(answer("GET", "/", "localhost:" + port(), session)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void doesNotSpendTheTokenOnAnotherHost() throws IOException {
        assertThat(answer("POST", "/session", "example.com", bearer(token()))).startsWith("HTTP/1.1 403 ");
        assertThat(sendToken()).startsWith("HTTP/1.1 200 ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE", "OPTIONS", "HEAD"})
    void canOnlyBeRead(String method) throws IOException {
        assertThat(answer(method, "/", "127.0.0.1:" + port(), enter()))
                .startsWith("HTTP/1.1 405 ")
                .containsIgnoringCase("Allow: GET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/app.js", "/data/echo", "/data/broken", "/nothing"})
    void letsThePageDoNothingButShowItself(String path) throws IOException {
        for (String headers : List.of("", enter())) {
            assertThat(get(path, headers))
                    .containsIgnoringCase(
                            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
                                    + "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
                    .containsIgnoringCase("Cache-Control: no-store")
                    .containsIgnoringCase("X-Content-Type-Options: nosniff")
                    .containsIgnoringCase("Referrer-Policy: no-referrer");
        }
    }

    @ParameterizedTest(name = "[{index}]")
    @ValueSource(strings = {"", "GET / HTTP/1.1\r\nHost: a\r\n"})
    void answersWhileOthersHoldAllConnectionsTheyGet(String sent) throws IOException {
        for (int each = 0; each < 300; each++) {
            Socket socket = connect();
            held.add(socket);
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
        }

        assertThat(get("/data/echo", enter())).startsWith("HTTP/1.1 200 ");
        assertThat(Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("ui-server")))
                .hasSizeLessThanOrEqualTo(LoopbackServer.CONNECTIONS + 1);
    }

    @Test
    void replacesNoConnectionOfThePage() throws IOException {
        try (Socket page = send("GET", "/events", "127.0.0.1:" + port(), enter());
                BufferedReader lines = reader(page)) {
            assertThat(next(lines)).isEqualTo("1");
            for (int each = 0; each < 2 * LoopbackServer.CONNECTIONS; each++) {
                held.add(connect());
            }
            assertThat(get("/", "")).startsWith("HTTP/1.1 200 ");

            changes.changed();
            assertThat(next(lines)).isEqualTo("2");
        }
    }

    @ParameterizedTest(name = "[{index}]")
    @ValueSource(strings = {"", "GET / HTTP/1.1\r\nHost: a\r\n", "POST /session HTTP/1.1\r\nContent-Length: 9\r\n"})
    void closesAConnectionWhoseRequestDoesNotArriveInTime(String sent) throws IOException {
        server.close();
        server = new UiServer(0, Duration.ofMillis(50), data, changes);

        try (Socket socket = connect()) {
            socket.getOutputStream().write(sent.getBytes(StandardCharsets.US_ASCII));
            assertThat(socket.getInputStream().readAllBytes()).isEmpty();
        }
    }

    @Test
    void limitsTheLengthOfHeaders() throws IOException {
        assertThat(get("/", "A: %s\r\n".formatted("x".repeat(LoopbackServer.HEAD_BYTES / 2))))
                .startsWith("HTTP/1.1 200 ");
        try (Socket socket = connect()) {
            // Up to the limit and one byte, all of which the server reads, so that it can answer.
            byte[] head = new byte[LoopbackServer.HEAD_BYTES + 1];
            Arrays.fill(head, (byte) 'x');
            socket.getOutputStream().write(head);

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 431 ")
                    .endsWith("the headers are too long; delete the cookies of this host\n");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET",
                "GET /",
                "GET  / HTTP/1.1",
                "GET x HTTP/1.1",
                "GET / HTTP/2",
                "GET /%zz HTTP/1.1",
                "GET / HTTP/1.1\r\nx"
            })
    void refusesWhatIsNoRequest(String head) throws IOException {
        try (Socket socket = connect()) {
            socket.getOutputStream().write((head + "\r\n\r\n").getBytes(StandardCharsets.US_ASCII));

            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 400 ");
        }
    }

    @Test
    void tellsAPageOfEachChange() throws IOException {
        try (Socket socket = send("GET", "/events", "127.0.0.1:" + port(), enter());
                BufferedReader lines = reader(socket)) {
            assertThat(next(lines)).isEqualTo("1");
            changes.changed();
            assertThat(next(lines)).isEqualTo("2");
        }
    }

    private static BufferedReader reader(Socket socket) throws IOException {
        return new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
    }

    private static String next(BufferedReader lines) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.matches("[0-9]+")) {
                return line;
            }
        }
        return "the stream has ended";
    }
}
