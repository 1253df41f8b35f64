package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
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
import java.util.Locale;
import java.util.Map;

import static org.assertj.core.api.Assertions.assertThat;

/** Requests as bytes, because clients do not let their caller choose each header. */
class UiServerTest {

    private final Changes changes = new Changes();
    private UiServer server;

    @BeforeEach
    void start() throws IOException {
        UiData data = new UiData(Map.of(
                "echo",
                (path, query) ->
                        JsonNodeFactory.instance.objectNode().put("path", path).put("q", query.get("q")),
                "broken",
                (path, query) -> {
                    throw new IOException("no cluster: <b>");
                }));
        server = new UiServer(0, data, changes);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    private int port() {
        return server.url().getPort();
    }

    private Socket send(String method, String path, String host, String cookie) throws IOException {
        Socket socket = new Socket(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), port());
        socket.getOutputStream()
                .write("%s %s HTTP/1.1\r\nHost: %s\r\nCookie: other=1; %s\r\nConnection: close\r\n\r\n"
                        .formatted(method, path, host, cookie)
                        .getBytes(StandardCharsets.US_ASCII));
        return socket;
    }

    private String answer(String method, String path, String host, String cookie) throws IOException {
        try (Socket socket = send(method, path, host, cookie)) {
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private String get(String path, String cookie) throws IOException {
        return answer("GET", path, "127.0.0.1:" + port(), cookie);
    }

    private String token() {
        return "/?" + server.url().getQuery();
    }

    /** As a browser does it that opens the printed URL. */
    private String enter() throws IOException {
        String answer = get(token(), "");
        return answer.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith("set-cookie: "))
                .map(line -> line.substring("set-cookie: ".length()).split(";")[0])
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/app.js", "/data/echo", "/events", "/nothing", "/?token=", "/?token=wrong"})
    void refusesWhoHasNoCookie(String path) throws IOException {
        assertThat(get(path, "kubectl-numa-" + port() + "=wrong"))
                .startsWith("HTTP/1.1 403 ")
                .doesNotContain("Set-Cookie")
                .endsWith("the URL that is printed opens once, in one browser; start kubectl numa ui again\n");
    }

    @Test
    void givesTheCookieToTheFirstWhoSendsTheToken() throws IOException {
        assertThat(get(token(), ""))
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("Set-Cookie: kubectl-numa-" + port() + "=")
                .contains("; Path=/; HttpOnly; SameSite=Strict")
                .doesNotContain(server.url().getQuery());
        assertThat(get(token(), "")).startsWith("HTTP/1.1 403 ");
    }

    @Test
    void servesThePageAndItsData() throws IOException {
        String cookie = enter();

        assertThat(get("/", cookie))
                .startsWith("HTTP/1.1 200 ")
                .containsIgnoringCase("Content-Type: text/html; charset=utf-8")
                .contains("<script type=\"module\" src=\"app.js\">");
        assertThat(get("/app.js", cookie)).containsIgnoringCase("Content-Type: text/javascript; charset=utf-8");
        assertThat(get("/data/echo/a%3Cb%2Fc?q=%26x", cookie))
                .containsIgnoringCase("Content-Type: application/json; charset=utf-8")
                .endsWith("{\"path\":\"a<b/c\",\"q\":\"&x\"}");
        assertThat(get("/data/broken", cookie)).startsWith("HTTP/1.1 500 ").endsWith("{\"error\":\"no cluster: <b>\"}");
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
        String cookie = enter();

        assertThat(answer("GET", "/", host.formatted(port()), cookie)).startsWith("HTTP/1.1 403 ");
        assertThat(answer("GET", "/", "localhost:" + port(), cookie)).startsWith("HTTP/1.1 200 ");
    }

    @Test
    void doesNotSpendTheTokenOnAnotherHost() throws IOException {
        assertThat(answer("GET", token(), "example.com", "")).startsWith("HTTP/1.1 403 ");
        assertThat(get(token(), "")).startsWith("HTTP/1.1 200 ");
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
        for (String cookie : new String[] {"", enter()}) {
            assertThat(get(path, cookie))
                    .containsIgnoringCase(
                            "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; "
                                    + "connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
                    .containsIgnoringCase("Cache-Control: no-store")
                    .containsIgnoringCase("X-Content-Type-Options: nosniff")
                    .containsIgnoringCase("Referrer-Policy: no-referrer");
        }
    }

    @Test
    void tellsAPageOfEachChange() throws IOException {
        try (Socket socket = send("GET", "/events", "127.0.0.1:" + port(), enter());
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            assertThat(next(lines)).isEqualTo("data: 1");
            changes.changed();
            assertThat(next(lines)).isEqualTo("data: 2");
        }
    }

    private static String next(BufferedReader lines) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            if (line.startsWith("data:")) {
                return line;
            }
        }
        return "the stream has ended";
    }
}
