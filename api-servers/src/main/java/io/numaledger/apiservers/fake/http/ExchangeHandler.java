package io.numaledger.apiservers.fake.http;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.numaledger.apiservers.fake.fault.Fault;
import io.numaledger.apiservers.fake.fault.Faults;
import io.numaledger.apiservers.fake.json.JsonText;
import io.numaledger.apiservers.fake.request.RecordedRequest;
import io.numaledger.apiservers.fake.request.RequestLog;
import io.numaledger.apiservers.fake.request.Response;
import io.numaledger.apiservers.fake.status.ApiError;

import java.io.IOException;
import java.io.OutputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Decodes requests, injects faults, and writes responses. */
public final class ExchangeHandler implements HttpHandler {

    private static final String JSON = "application/json";

    private final Router router;
    private final RequestLog log;
    private final Faults faults;
    private final CountDownLatch closing = new CountDownLatch(1);

    public ExchangeHandler(Router router, RequestLog log, Faults faults) {
        this.router = router;
        this.log = log;
        this.faults = faults;
    }

    /** Ends all delays. */
    public void close() {
        closing.countDown();
    }

    /** Throws an exception to close the connection without a regular end, as faults require. */
    @Override
    public void handle(HttpExchange exchange) throws IOException {
        RecordedRequest request = read(exchange);
        log.add(request);
        if ("websocket".equalsIgnoreCase(exchange.getRequestHeaders().getFirst("Upgrade"))) {
            refuseUpgrade(exchange);
            return;
        }
        try {
            respond(exchange, request);
        } catch (ApiError e) {
            send(exchange, new Response.Json(e.code(), e.toStatus()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the server is stopping: path=%s; retry later".formatted(request.path()), e);
        } catch (RuntimeException e) {
            send(
                    exchange,
                    new Response.Json(
                            500,
                            ApiError.of(500, "InternalError", "Internal error occurred: " + e)
                                    .toStatus()));
        }
    }

    /** The JDK's server has no WebSocket. A client that tries one for a watch falls back to plain HTTP after a 200. */
    private static void refuseUpgrade(HttpExchange exchange) throws IOException {
        exchange.sendResponseHeaders(200, -1);
        exchange.close();
    }

    private void respond(HttpExchange exchange, RecordedRequest request) throws IOException, InterruptedException {
        Optional<Fault> fault = faults.next(request);
        OptionalInt cutAfter = OptionalInt.empty();
        if (fault.isPresent()) {
            if (fault.get() instanceof Fault.ErrorResponse answer) {
                answer.retryAfter()
                        .ifPresent(time ->
                                exchange.getResponseHeaders().set("Retry-After", Long.toString(time.toSeconds())));
                throw ApiError.of(answer.code(), answer.reason(), "injected fault: " + answer.reason());
            }
            if (fault.get() instanceof Fault.Drop) {
                throw new IOException(
                        "an injected fault drops the connection: path=%s; retry".formatted(request.path()));
            }
            if (fault.get() instanceof Fault.Delay delay) {
                awaitClosing(delay);
            }
            if (fault.get() instanceof Fault.CutWatch cut) {
                cutAfter = OptionalInt.of(cut.afterEvents());
            }
        }
        send(exchange, router.answer(request, cutAfter));
    }

    private void awaitClosing(Fault.Delay delay) throws InterruptedException, IOException {
        if (closing.await(delay.by().toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IOException("the server was closed during an injected delay; start it again");
        }
    }

    private static void send(HttpExchange exchange, Response answer) throws IOException {
        if (answer instanceof Response.Json json) {
            sendWhole(exchange, json.code(), JSON, JsonText.write(json.body()));
        } else if (answer instanceof Response.Text text) {
            sendWhole(exchange, 200, "text/plain; charset=utf-8", text.body().getBytes(StandardCharsets.UTF_8));
        } else if (answer instanceof Response.Stream stream) {
            sendEvents(exchange, stream.events());
        }
    }

    private static void sendWhole(HttpExchange exchange, int code, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(code, body.length == 0 ? -1 : body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    /** Closes the stream only after a regular end, because the client takes a closed stream for one. */
    private static void sendEvents(HttpExchange exchange, Response.Events events) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", JSON);
        exchange.sendResponseHeaders(200, 0);
        OutputStream out = exchange.getResponseBody();
        out.flush();
        try {
            events.writeTo(out);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("the server is stopping; watch again", e);
        }
        out.close();
    }

    private static RecordedRequest read(HttpExchange exchange) throws IOException {
        var headers = exchange.getRequestHeaders();
        String authorization =
                Optional.ofNullable(headers.getFirst("Authorization")).orElse("");
        return new RecordedRequest(
                exchange.getRequestMethod(),
                exchange.getRequestURI().getPath(),
                query(exchange.getRequestURI().getRawQuery()),
                Optional.ofNullable(headers.getFirst("User-Agent")).orElse(""),
                Optional.ofNullable(headers.getFirst("Content-Type")).orElse(""),
                authorization.startsWith("Bearer ") ? authorization.substring(7) : "admin",
                new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
    }

    private static SortedMap<String, String> query(String raw) {
        SortedMap<String, String> query = new TreeMap<>();
        if (raw != null) {
            for (String pair : raw.split("&")) {
                String[] nameAndValue = pair.split("=", 2);
                query.put(decode(nameAndValue[0]), nameAndValue.length > 1 ? decode(nameAndValue[1]) : "");
            }
        }
        return query;
    }

    private static String decode(String text) {
        return URLDecoder.decode(text, StandardCharsets.UTF_8);
    }
}
