package io.numaledger.bridge.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.databind.node.TextNode;
import io.numaledger.cli.Failures;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A bridge elsewhere, asked over its API. */
public final class RemoteBridge implements Zones {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final String url;
    private final Optional<String> token;
    private final HttpClient http;

    /**
     * A bridge at this address.
     *
     * @param ca bundle for its certificate; absent: the system's CAs
     * @param token of a user or service account of the cluster; absent: the bridge does not authenticate callers
     * @throws IOException if the CA file cannot be used; the message names it
     */
    public RemoteBridge(String url, Optional<Path> ca, Optional<String> token) throws IOException {
        this.token = token;
        this.url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
        HttpClient.Builder builder = HttpClient.newBuilder().connectTimeout(CONNECT_TIMEOUT);
        if (ca.isPresent()) {
            builder.sslContext(trusting(ca.get()));
        }
        this.http = builder.build();
    }

    private static SSLContext trusting(Path ca) throws IOException {
        try (InputStream pem = Files.newInputStream(ca)) {
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null);
            for (Certificate certificate :
                    CertificateFactory.getInstance("X.509").generateCertificates(pem)) {
                store.setCertificateEntry("ca-" + store.size(), certificate);
            }
            if (store.size() == 0) {
                throw new IOException(
                        "cannot use the CA bundle: file=%s: no certificate in it; give a PEM file".formatted(ca));
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, trust.getTrustManagers(), null);
            return context;
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "cannot use the CA bundle: file=%s: %s; give a PEM file".formatted(ca, e.getMessage()), e);
        }
    }

    @Override
    public List<JsonNode> nodes() throws IOException {
        return items(send(HttpRequest.newBuilder(URI.create(url + "/v1/nodes")).GET()), "nodes");
    }

    @Override
    public List<JsonNode> explain(ExplainedPod pod, List<String> ended) throws IOException {
        String path = ended.isEmpty() ? "/v1/explain" : "/v1/whatif";
        return items(
                send(HttpRequest.newBuilder(URI.create(url + path))
                        .POST(HttpRequest.BodyPublishers.ofString(
                                body(pod, ended).toString()))),
                "explanations");
    }

    private static JsonNode body(ExplainedPod pod, List<String> ended) throws IOException {
        Optional<JsonNode> manifest = pod.manifest().isPresent()
                ? Optional.of(JSON.readTree(pod.manifest().get().json()))
                : Optional.empty();
        ObjectNode request = JSON.createObjectNode();
        if (ended.isEmpty()) {
            return manifest.orElseGet(() -> request.put("pod", pod.key()));
        }
        request.set("place", manifest.orElseGet(() -> TextNode.valueOf(pod.key())));
        ended.forEach(request.putArray("evict")::add);
        return request;
    }

    private static List<JsonNode> items(JsonNode answer, String field) {
        List<JsonNode> items = new ArrayList<>();
        answer.path(field).forEach(items::add);
        return items;
    }

    private JsonNode send(HttpRequest.Builder request) throws IOException {
        token.ifPresent(text -> request.header("Authorization", "Bearer " + text));
        try {
            HttpResponse<String> answer =
                    http.send(request.timeout(TIMEOUT).build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() != 200) {
                throw new IOException("the bridge answered with an error: url=%s status=%d: %s"
                        .formatted(url, answer.statusCode(), answer.body().strip()));
            }
            return JSON.readTree(answer.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while waiting for the bridge: url=" + url, e);
        } catch (SSLHandshakeException e) {
            throw new IOException(
                    "cannot verify the bridge's certificate: url=%s: %s; give its CA with --ca-file, and a host name that the certificate has"
                            .formatted(url, e.getMessage()),
                    e);
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).startsWith("the bridge answered with an error")) {
                throw e;
            }
            throw new IOException(
                    "cannot reach the bridge: url=%s: %s; check the address and that it runs"
                            .formatted(url, Failures.reason(e)),
                    e);
        }
    }
}
