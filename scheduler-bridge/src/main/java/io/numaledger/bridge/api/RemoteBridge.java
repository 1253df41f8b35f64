package io.numaledger.bridge.api;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A bridge elsewhere, asked over its API. */
public final class RemoteBridge {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final String url;
    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(TIMEOUT).build();

    public RemoteBridge(String url) {
        this.url = url.endsWith("/") ? url.substring(0, url.length() - 1) : url;
    }

    public List<JsonNode> nodes() throws IOException {
        return items(send(HttpRequest.newBuilder(URI.create(url + "/v1/nodes")).GET()), "nodes");
    }

    /** @param manifest of a Pod, YAML or JSON */
    public List<JsonNode> explain(String manifest) throws IOException {
        return items(
                send(HttpRequest.newBuilder(URI.create(url + "/v1/explain"))
                        .POST(HttpRequest.BodyPublishers.ofString(manifest))),
                "explanations");
    }

    private static List<JsonNode> items(JsonNode answer, String field) {
        List<JsonNode> items = new ArrayList<>();
        answer.path(field).forEach(items::add);
        return items;
    }

    private JsonNode send(HttpRequest.Builder request) throws IOException {
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
        } catch (IOException e) {
            if (String.valueOf(e.getMessage()).startsWith("the bridge answered with an error")) {
                throw e;
            }
            throw new IOException(
                    "cannot reach the bridge: url=%s: %s; check the address and that it runs".formatted(url, e), e);
        }
    }

    /** An explanation with the fields that the command line prints as JSON. */
    public static String line(JsonNode explanation) {
        ObjectNode line = JSON.createObjectNode();
        for (String field : List.of("node", "fits", "reason", "zones", "placement")) {
            line.set(field, explanation.get(field));
        }
        return line.toString();
    }
}
