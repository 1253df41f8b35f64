package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;

/** Plain HTTP calls to an API server, embedded or real. */
final class ApiCalls {

    static final String JSON = "application/json";
    static final String JSON_PATCH = "application/json-patch+json";
    static final String MERGE = "application/merge-patch+json";
    static final String STRATEGIC = "application/strategic-merge-patch+json";
    static final String APPLY = "application/apply-patch+yaml";

    private static final ObjectMapper MAPPER = new ObjectMapper();

    /** Status code and body of a response. */
    record Reply(int code, JsonNode body) {

        String resourceVersion() {
            return body.path("metadata").path("resourceVersion").asText();
        }

        String uid() {
            return body.path("metadata").path("uid").asText();
        }

        String message() {
            return body.path("message").asText();
        }

        String reason() {
            return body.path("reason").asText();
        }

        JsonNode at(String pointer) {
            return body.at(pointer);
        }
    }

    private final URI server;
    private final HttpClient http;
    private final String token;

    ApiCalls(URI server, HttpClient http, String token) {
        this.server = server;
        this.http = http;
        this.token = token;
    }

    Reply get(String path) {
        return send(request(path).GET().build());
    }

    Reply post(String path, String body) {
        return send("POST", path, JSON, body);
    }

    Reply put(String path, String body) {
        return send("PUT", path, JSON, body);
    }

    Reply patch(String path, String type, String body) {
        return send("PATCH", path, type, body);
    }

    Reply delete(String path) {
        return send(request(path).DELETE().build());
    }

    Reply delete(String path, String options) {
        return send("DELETE", path, JSON, options);
    }

    Reply send(String method, String path, String type, String body) {
        return send(request(path)
                .header("Content-Type", type)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build());
    }

    WatchReader watch(String path) {
        String separator = path.contains("?") ? "&" : "?";
        try {
            HttpResponse<InputStream> response = http.send(
                    request(path + separator + "watch=1").GET().build(), HttpResponse.BodyHandlers.ofInputStream());
            return new WatchReader(response.statusCode(), response.body());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(server.resolve(path))
                .timeout(Duration.ofMinutes(3))
                .header("User-Agent", "contract/1.0")
                .header("Authorization", "Bearer " + token);
    }

    private Reply send(HttpRequest request) {
        try {
            HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
            String body = response.body();
            boolean json =
                    response.headers().firstValue("Content-Type").orElse("").startsWith(JSON);
            return new Reply(response.statusCode(), json ? MAPPER.readTree(body) : MAPPER.missingNode());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
