package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Serves the page and its data on the loopback address, to one browser, to read. */
final class UiServer implements AutoCloseable {

    private static final String POLICY =
            "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    private static final byte[] LOOPBACK = {127, 0, 0, 1};
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String DATA = "/data/";

    /** A browser that is gone is noticed by then. */
    private static final Duration SIGN_OF_LIFE = Duration.ofSeconds(30);

    /** Sends the cookie although another page or program has opened this one. */
    private static final String ENTER =
            "<!doctype html><html lang=\"en\"><title>kubectl numa</title><link rel=\"icon\" href=\"data:,\"><meta http-equiv=\"refresh\" content=\"0;url=/\">";

    private final UiData data;
    private final Changes changes;
    private final HttpServer server;
    private final Access access;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "ui-server");
        thread.setDaemon(true);
        return thread;
    });

    /** An answer without its common headers. */
    private record Answer(int status, String type, String body) {

        static Answer text(int status, String text) {
            return new Answer(status, "text/plain", text + "\n");
        }

        static Answer json(int status, JsonNode json) {
            try {
                return new Answer(status, "application/json", JSON.writeValueAsString(json));
            } catch (JsonProcessingException e) {
                throw new IllegalStateException("a tree cannot fail to be written", e);
            }
        }
    }

    /** @param port 0: any that is free */
    UiServer(int port, UiData data, Changes changes) throws IOException {
        this.data = data;
        this.changes = changes;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port), 0);
        } catch (BindException e) {
            throw new IOException(
                    "cannot listen: port=%d is in use; leave --port out, or give another one".formatted(port), e);
        }
        access = new Access(server.getAddress().getPort());
        server.setExecutor(threads);
        server.createContext("/", this::handle);
        server.start();
    }

    /** Worth something once: whoever opens it first may read. */
    URI url() {
        return URI.create(
                "http://127.0.0.1:%d/?token=%s".formatted(server.getAddress().getPort(), access.token()));
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            Headers headers = exchange.getResponseHeaders();
            headers.set("Content-Security-Policy", POLICY);
            headers.set("Cache-Control", "no-store");
            headers.set("X-Content-Type-Options", "nosniff");
            headers.set("Referrer-Policy", "no-referrer");
            headers.set("Cross-Origin-Resource-Policy", "same-origin");
            Optional<Answer> refused = refusal(exchange);
            if (refused.isPresent()) {
                send(exchange, refused.get());
            } else if (exchange.getRequestURI().getPath().equals("/events")) {
                sendChanges(exchange);
            } else {
                send(exchange, answer(exchange));
            }
        }
    }

    /** What is answered without a look at the data. */
    private Optional<Answer> refusal(HttpExchange exchange) {
        if (!access.isOurHost(exchange.getRequestHeaders())) {
            return Optional.of(Answer.text(403, "this is not the host of the page; open the URL that is printed"));
        }
        if (!exchange.getRequestMethod().equals("GET")) {
            exchange.getResponseHeaders().set("Allow", "GET");
            return Optional.of(Answer.text(405, "the page can be read only"));
        }
        Optional<String> cookie = access.cookieFor(query(exchange).getOrDefault("token", ""));
        if (cookie.isPresent()) {
            exchange.getResponseHeaders().set("Set-Cookie", cookie.get());
            return Optional.of(new Answer(200, "text/html", ENTER));
        }
        return access.hasCookie(exchange.getRequestHeaders())
                ? Optional.empty()
                : Optional.of(Answer.text(
                        403, "the URL that is printed opens once, in one browser; start kubectl numa ui again"));
    }

    private Answer answer(HttpExchange exchange) throws IOException {
        String path = exchange.getRequestURI().getPath();
        if (path.startsWith(DATA)) {
            exchange.getResponseHeaders().set("X-Change", String.valueOf(changes.number()));
            return read(path.substring(DATA.length()), query(exchange));
        }
        String name = path.equals("/") ? Page.INDEX : path.substring(1);
        return Page.file(name)
                .map(body -> new Answer(200, Page.contentType(name), body))
                .orElseGet(() -> Answer.text(404, "there is no such file"));
    }

    private Answer read(String path, Map<String, String> query) {
        try {
            return data.read(path, query)
                    .map(json -> Answer.json(200, json))
                    .orElseGet(() -> Answer.json(404, UiData.error(new IOException("there is no such data"))));
        } catch (IOException | RuntimeException e) {
            return Answer.json(500, UiData.error(e));
        }
    }

    private static Map<String, String> query(HttpExchange exchange) {
        Map<String, String> query = new HashMap<>();
        String raw = Optional.ofNullable(exchange.getRequestURI().getRawQuery()).orElse("");
        for (String each : raw.split("&")) {
            String[] parts = each.split("=", 2);
            query.put(decoded(parts[0]), parts.length > 1 ? decoded(parts[1]) : "");
        }
        return query;
    }

    private static String decoded(String text) {
        try {
            return URLDecoder.decode(text, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException malformed) {
            return text;
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", answer.type() + "; charset=utf-8");
        boolean empty = exchange.getRequestMethod().equals("HEAD");
        byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), empty ? -1 : body.length);
        if (!empty) {
            exchange.getResponseBody().write(body);
        }
    }

    /** Sends the number of each change, as an event stream, until the browser is gone. */
    private void sendChanges(HttpExchange exchange) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", "text/event-stream; charset=utf-8");
        exchange.sendResponseHeaders(200, 0);
        changes.listen();
        try (OutputStream out = exchange.getResponseBody()) {
            for (long sent = 0; ; ) {
                long now = changes.await(sent, SIGN_OF_LIFE);
                out.write((now == sent ? ":\n\n" : "data: " + now + "\n\n").getBytes(StandardCharsets.UTF_8));
                out.flush();
                sent = now;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            changes.leave();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
