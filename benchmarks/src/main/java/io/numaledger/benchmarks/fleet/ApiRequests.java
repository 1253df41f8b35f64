package io.numaledger.benchmarks.fleet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Requests to a kube-apiserver as its administrator. Thread-safe. */
record ApiRequests(HttpClient http, URI url, String token) {

    private static final int NOT_FOUND = 404;

    /**
     * Sends an object, or a merge patch. That the object is gone is no failure.
     *
     * @param body may be empty
     */
    void send(String method, String path, String body) throws IOException {
        HttpResponse<String> answer = send(
                request(path)
                        .header(
                                "Content-Type",
                                "application/%sjson".formatted(method.equals("PATCH") ? "merge-patch+" : ""))
                        .method(method, BodyPublishers.ofString(body))
                        .build(),
                BodyHandlers.ofString());
        if (answer.statusCode() / 100 != 2 && answer.statusCode() != NOT_FOUND) {
            throw new IOException("kube-apiserver refused a request: method=%s path=%s status=%d answer=%s"
                    .formatted(method, path, answer.statusCode(), answer.body()));
        }
    }

    /** Reads the lines of an answer until it ends. Returns whether it does before the connection does. */
    boolean lines(String path, Consumer<String> each) {
        try (Stream<String> lines =
                send(request(path).build(), BodyHandlers.ofLines()).body()) {
            lines.forEach(each);
            return true;
        } catch (IOException | UncheckedIOException e) {
            return false;
        }
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(url.resolve(path)).header("Authorization", "Bearer " + token);
    }

    private <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler) throws IOException {
        try {
            return http.send(request, handler);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted during a request: uri=" + request.uri(), e);
        }
    }
}
