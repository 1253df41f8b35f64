package io.numaledger.e2e.agent;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.numaledger.apiservers.fake.SelfSignedCertificate;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** An admission webhook that refuses a number of writes with a status of its own; the API server hands that on as its answer. */
final class RefusingWebhook implements AutoCloseable {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final HttpsServer server;
    private final SelfSignedCertificate keys;
    private final int code;
    private final String reason;
    private final AtomicInteger left;

    /**
     * @param directory where its key goes
     * @param times how many writes are refused; the rest is let through
     */
    RefusingWebhook(Path directory, int code, String reason, int times) throws IOException, InterruptedException {
        this.code = code;
        this.reason = reason;
        this.left = new AtomicInteger(times);
        this.keys = SelfSignedCertificate.create(directory.resolve("webhook.p12"));
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(keys.server()));
        server.createContext("/", this::review);
        server.start();
    }

    String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort() + "/";
    }

    /** Its certificate as the API server wants to be told it: PEM, in Base64. */
    String authority() {
        return Base64.getEncoder().encodeToString(keys.certificate().getBytes(StandardCharsets.US_ASCII));
    }

    /** True once it has refused as often as it was told to. */
    boolean isDone() {
        return left.get() <= 0;
    }

    private void review(HttpExchange exchange) throws IOException {
        JsonNode review = JSON.readTree(exchange.getRequestBody());
        Map<String, Object> answer = left.getAndDecrement() > 0
                ? Map.of(
                        "uid",
                        review.at("/request/uid").asText(),
                        "allowed",
                        false,
                        "status",
                        Map.of("code", code, "reason", reason, "message", "refused by the test"))
                : Map.of("uid", review.at("/request/uid").asText(), "allowed", true);
        byte[] body = JSON.writeValueAsBytes(
                Map.of("apiVersion", "admission.k8s.io/v1", "kind", "AdmissionReview", "response", answer));
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        exchange.sendResponseHeaders(200, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
