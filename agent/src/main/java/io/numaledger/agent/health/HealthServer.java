package io.numaledger.agent.health;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Serves {@code /healthz}, {@code /readyz} and {@code /metrics}. */
public final class HealthServer implements AutoCloseable {

    private static final String TEXT = "text/plain; charset=utf-8";
    private static final String EXPOSITION = "text/plain; version=0.0.4; charset=utf-8";

    private final HttpServer http;
    private final ThreadPoolExecutor threads;

    private HealthServer(HttpServer http) {
        this.http = http;
        this.threads = new ThreadPoolExecutor(2, 2, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(16), work -> {
            Thread thread = new Thread(work, "health");
            thread.setDaemon(true);
            return thread;
        });
        threads.allowCoreThreadTimeOut(true);
        http.setExecutor(threads);
    }

    /**
     * Starts to listen.
     *
     * @param tls with it, only HTTPS is answered
     * @param metrics all metrics in Prometheus' text format
     * @throws IOException if the address cannot be listened at, or the keys not be read
     */
    public static HealthServer start(
            ListenAddress address, Optional<TlsKeys> tls, Freshness freshness, Supplier<String> metrics)
            throws IOException {
        HealthServer server;
        try {
            server = new HealthServer(open(address, tls));
        } catch (IOException e) {
            throw new IOException(
                    "cannot listen: address=%s:%d: %s; choose another with --listen"
                            .formatted(address.host(), address.port(), e.getMessage()),
                    e);
        }
        server.http.createContext("/healthz", exchange -> verdict(exchange, freshness.hanging()));
        server.http.createContext("/readyz", exchange -> verdict(exchange, freshness.notReady()));
        server.http.createContext("/metrics", exchange -> answer(exchange, 200, EXPOSITION, metrics.get()));
        server.http.start();
        return server;
    }

    private static HttpServer open(ListenAddress address, Optional<TlsKeys> tls) throws IOException {
        if (tls.isEmpty()) {
            return HttpServer.create(address.socketAddress(), 0);
        }
        HttpsServer https = HttpsServer.create(address.socketAddress(), 0);
        https.setHttpsConfigurator(new HttpsConfigurator(tls.get().context()));
        return https;
    }

    /** The port that it listens at. */
    public int port() {
        return http.getAddress().getPort();
    }

    private static void verdict(HttpExchange exchange, Optional<String> wrong) throws IOException {
        answer(exchange, wrong.isEmpty() ? 200 : 503, TEXT, wrong.orElse("ok") + "\n");
    }

    private static void answer(HttpExchange exchange, int status, String type, String body) throws IOException {
        try (exchange) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", type);
            boolean head = exchange.getRequestMethod().equals("HEAD");
            exchange.sendResponseHeaders(status, head ? -1 : bytes.length);
            if (!head) {
                exchange.getResponseBody().write(bytes);
            }
        }
    }

    @Override
    public void close() {
        http.stop(0);
        threads.shutdownNow();
    }
}
