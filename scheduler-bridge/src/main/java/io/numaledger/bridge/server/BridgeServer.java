package io.numaledger.bridge.server;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import javax.net.ssl.SSLContext;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Serves routes over HTTPS, or over plain HTTP where that is asked for. Bodies, threads and waiting requests are bounded. */
public final class BridgeServer implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(BridgeServer.class);
    private static final long IDLE_SECONDS = 60L;

    /**
     * What bounds a caller.
     *
     * @param maxBodyBytes a longer body gets 413
     * @param threads how many requests are worked on at a time
     * @param waiting how many more may wait; beyond, connections are closed
     * @param time for a request to come in whole, its wait for a thread included, and again for its answer to go out;
     *     beyond, the connection is closed. In whole seconds; the JDK's server reads it once, so the first server of a process sets it for all
     */
    public record Limits(int maxBodyBytes, int threads, int waiting, Duration time) {

        public static final Limits DEFAULT = new Limits(64 << 20, 16, 256, Duration.ofSeconds(15));

        public Limits {
            if (maxBodyBytes < 1 || threads < 1 || waiting < 1 || time.toSeconds() < 1) {
                throw new IllegalArgumentException(
                        "the server's limits are 1 or more: maxBodyBytes=%d threads=%d waiting=%d time=%s; raise them"
                                .formatted(maxBodyBytes, threads, waiting, time));
            }
        }
    }

    /** Answers one kind of request. */
    @FunctionalInterface
    public interface Route {

        /** @throws IllegalArgumentException for a request that makes no sense: it gets 400 with the message */
        Answer answer(Request request) throws IOException;
    }

    /**
     * What was asked.
     *
     * @param rest of the path behind the route's own
     */
    @SuppressWarnings("ArrayRecordComponent") // never compared; a copy of each body would cost more than it protects
    public record Request(String method, String rest, byte[] body) {

        public String text() {
            return new String(body, StandardCharsets.UTF_8);
        }
    }

    /** What is answered. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    public record Answer(int status, String contentType, byte[] body) {

        public static Answer json(byte[] body) {
            return new Answer(200, "application/json", body);
        }

        public static Answer text(int status, String text) {
            return new Answer(status, "text/plain; charset=utf-8", (text + "\n").getBytes(StandardCharsets.UTF_8));
        }
    }

    private final HttpServer server;
    private final ThreadPoolExecutor threads;
    private final Limits limits;

    /** @param tls absent: plain HTTP */
    public BridgeServer(InetSocketAddress address, Optional<SSLContext> tls, Limits limits, Map<String, Route> routes)
            throws IOException {
        this.limits = limits;
        limitTime(limits.time());
        // Head and body of an answer are two writes; the second must not wait until the first is acknowledged.
        setUnlessSet("sun.net.httpserver.nodelay", "true");
        this.threads = new ThreadPoolExecutor(
                limits.threads(),
                limits.threads(),
                IDLE_SECONDS,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(limits.waiting()),
                task -> {
                    Thread thread = new Thread(task, "bridge-http");
                    thread.setDaemon(true);
                    return thread;
                });
        if (tls.isPresent()) {
            HttpsServer https = HttpsServer.create(address, 0);
            https.setHttpsConfigurator(new HttpsConfigurator(tls.get()));
            server = https;
        } else {
            server = HttpServer.create(address, 0);
        }
        server.setExecutor(threads);
        routes.forEach((path, route) -> server.createContext(path, exchange -> handle(exchange, path, route)));
    }

    private static void limitTime(Duration time) {
        for (String name : List.of("sun.net.httpserver.maxReqTime", "sun.net.httpserver.maxRspTime")) {
            setUnlessSet(name, Long.toString(time.toSeconds()));
        }
    }

    /** What is set already stays: by the command line of the JVM, or by an earlier server. */
    private static void setUnlessSet(String name, String value) {
        if (System.getProperty(name) == null) {
            System.setProperty(name, value);
        }
    }

    public void start() {
        server.start();
    }

    /** Where it listens. */
    public InetSocketAddress address() {
        return server.getAddress();
    }

    private void handle(HttpExchange exchange, String path, Route route) {
        try (exchange) {
            send(exchange, answer(exchange, path, route));
        } catch (IOException e) {
            log.debug("event=http.broken path={} why=\"{}\"", path, e.getMessage());
        }
    }

    private Answer answer(HttpExchange exchange, String path, Route route) throws IOException {
        byte[] body;
        try (InputStream in = exchange.getRequestBody()) {
            body = in.readNBytes(limits.maxBodyBytes() + 1);
        }
        if (body.length > limits.maxBodyBytes()) {
            return Answer.text(413, "the body is too long: limit=%d bytes; send less".formatted(limits.maxBodyBytes()));
        }
        String rest = exchange.getRequestURI().getPath().substring(path.length());
        try {
            return route.answer(new Request(exchange.getRequestMethod(), rest, body));
        } catch (IllegalArgumentException e) {
            return Answer.text(400, String.valueOf(e.getMessage()));
        } catch (RuntimeException e) {
            log.error("event=http.failed path={}", path, e);
            return Answer.text(500, "the bridge failed: path=%s: %s; see its log".formatted(path, e));
        }
    }

    private static void send(HttpExchange exchange, Answer answer) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", answer.contentType());
        exchange.sendResponseHeaders(answer.status(), answer.body().length == 0 ? -1 : answer.body().length);
        try (OutputStream out = exchange.getResponseBody()) {
            out.write(answer.body());
        }
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
