package io.numaledger.kubectl.ui;

import com.sun.net.httpserver.HttpServer;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;

/** A server of another user of the machine, which keeps what browsers send to it. */
final class HeaderRecorder implements AutoCloseable {

    private static final String PAGE = "<!doctype html><link rel=\"icon\" href=\"data:,\"><title>other</title>";

    private final List<String> received = new CopyOnWriteArrayList<>();
    private final HttpServer server;

    HeaderRecorder() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            received.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
            exchange.getRequestHeaders()
                    .forEach((name, values) ->
                            values.forEach(value -> received.add(name.toLowerCase(Locale.ROOT) + ": " + value)));
            byte[] page = PAGE.getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "text/html");
            exchange.sendResponseHeaders(200, page.length);
            exchange.getResponseBody().write(page);
            exchange.close();
        });
        server.start();
    }

    String url() {
        return "http://127.0.0.1:%d/".formatted(server.getAddress().getPort());
    }

    /** Request lines, and headers as {@code name: value}. */
    List<String> received() {
        return received;
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
