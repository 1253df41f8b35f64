package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** An extender that accepts every node and forwards only bind calls to the bridge, so that the bridge's bind has to refuse. */
final class PermissiveProxy implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpServer server;
    private final BridgeProcess bridge;
    private final List<String> refusals = new CopyOnWriteArrayList<>();

    PermissiveProxy(BridgeProcess bridge) {
        this.bridge = bridge;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.createContext("/filter", this::filter);
        server.createContext("/prioritize", exchange -> answer(exchange, "[]"));
        server.createContext("/bind", this::bind);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** The errors of the bridge's bind. */
    List<String> refusals() {
        return refusals;
    }

    private void filter(HttpExchange exchange) throws IOException {
        ObjectNode answer = JSON.createObjectNode();
        answer.set("NodeNames", JSON.readTree(exchange.getRequestBody()).path("NodeNames"));
        answer(exchange, answer.toString());
    }

    private void bind(HttpExchange exchange) throws IOException {
        try {
            String answer = bridge.post(
                            "/bind", new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8))
                    .body();
            JsonNode error = JSON.readTree(answer).path("Error");
            if (!error.asText().isEmpty()) {
                refusals.add(error.asText());
            }
            answer(exchange, answer);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, String text) throws IOException {
        byte[] body = text.getBytes(StandardCharsets.UTF_8);
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
