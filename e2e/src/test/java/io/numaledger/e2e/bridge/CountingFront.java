package io.numaledger.e2e.bridge;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Passes a scheduler's calls on to a bridge, and counts how often each pod is tried: each attempt begins with a filter call. */
final class CountingFront implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    static {
        // Otherwise each answer waits for the scheduler to acknowledge its headers.
        System.setProperty("sun.net.httpserver.nodelay", "true");
    }

    private final HttpServer server;
    private final String bridge;
    private final HttpClient client = HttpClient.newHttpClient();
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "counting-front");
        thread.setDaemon(true);
        return thread;
    });

    /** @param bridge its URL */
    CountingFront(String bridge) {
        this.bridge = bridge;
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        server.setExecutor(threads);
        server.createContext("/", this::pass);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    /** Attempts so far by the pod's name. */
    Map<String, Integer> attempts() {
        return Map.copyOf(attempts);
    }

    private void pass(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        String path = exchange.getRequestURI().getPath();
        if (path.equals("/filter")) {
            String pod = JSON.readTree(body)
                    .path("Pod")
                    .path("metadata")
                    .path("name")
                    .asText();
            attempts.merge(pod, 1, Integer::sum);
        }
        try {
            HttpResponse<byte[]> answer = client.send(
                    HttpRequest.newBuilder(URI.create(bridge + path))
                            .POST(BodyPublishers.ofByteArray(body))
                            .build(),
                    BodyHandlers.ofByteArray());
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(answer.statusCode(), answer.body().length);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(answer.body());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
