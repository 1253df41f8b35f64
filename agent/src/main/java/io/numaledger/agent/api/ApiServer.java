package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import io.fabric8.kubernetes.client.jdkhttp.JdkHttpClientFactory;
import io.numaledger.cli.Failures;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * The few narrow calls that the agent makes to the API server. Authentication, TLS and token reload are fabric8's; JSON is
 * streamed, since the typed client costs 50 MB more on every node.
 */
public final class ApiServer implements AutoCloseable {

    public static final String MERGE_PATCH = "application/merge-patch+json";
    public static final String APPLY_PATCH = "application/apply-patch+yaml";

    static final JsonFactory JSON = new JsonFactory();
    private static final Duration CONNECT_WITHIN = Duration.ofSeconds(5);
    private static final Duration ANSWER_WITHIN = Duration.ofSeconds(15);
    /** An object of the API server is at most 1.5 MiB; an error's text is far less. */
    private static final int ERROR_BYTES = 64 << 10;

    private final HttpClient http;
    private final String url;
    private final RequestBudget budget;
    private final Config config;
    private volatile RequestObserver observer = (method, path, status) -> {};

    private ApiServer(Config config, RequestBudget budget) {
        config.setRequestRetryBackoffLimit(0);
        config.setUserAgent("numaledger-agent");
        this.http = new JdkHttpClientFactory()
                .newBuilder(config)
                .connectTimeout(CONNECT_WITHIN.toMillis(), TimeUnit.MILLISECONDS)
                .build();
        this.url = config.getMasterUrl().replaceAll("/+$", "");
        this.budget = budget;
        this.config = config;
    }

    /**
     * From a kubeconfig file or, without one, from the pod's own account.
     *
     * @throws IOException if the file cannot be used; the message names it
     */
    public static ApiServer connect(Optional<Path> kubeconfig, RequestBudget budget) throws IOException {
        if (kubeconfig.isEmpty()) {
            return new ApiServer(new ConfigBuilder().build(), budget);
        }
        Path file = kubeconfig.get();
        if (!Files.isReadable(file)) {
            throw new IOException(
                    "cannot read the kubeconfig: file=%s; give a file that exists with --kubeconfig or KUBECONFIG"
                            .formatted(file));
        }
        try {
            return new ApiServer(Config.fromKubeconfig(file.toFile()), budget);
        } catch (RuntimeException e) {
            throw new IOException("cannot use the kubeconfig: file=%s: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** Where it is, for messages. */
    public String url() {
        return url;
    }

    /** Hears of each request. */
    @FunctionalInterface
    public interface RequestObserver {
        /** @param status of HTTP; 0: no response */
        void answered(String method, String path, int status);
    }

    /** Sets the observer of all later requests. */
    public void observe(RequestObserver requests) {
        observer = requests;
    }

    /** The token that the agent is known by; absent where it uses a certificate, or nothing. */
    public Optional<String> bearerToken() {
        return Optional.ofNullable(config.getAutoOAuthToken())
                .or(() -> Optional.ofNullable(config.getOauthToken()))
                .filter(token -> !token.isBlank());
    }

    /**
     * The certificates that the API server is verified by, in PEM.
     *
     * @throws IOException if the file cannot be read; the message names it
     */
    public Optional<byte[]> clusterCa() throws IOException {
        if (config.getCaCertData() != null) {
            return Optional.of(Base64.getDecoder().decode(config.getCaCertData()));
        }
        if (config.getCaCertFile() == null) {
            return Optional.empty();
        }
        try {
            return Optional.of(Files.readAllBytes(Path.of(config.getCaCertFile())));
        } catch (IOException e) {
            throw new IOException(
                    "cannot read the cluster's CA: file=%s: %s; check the kubeconfig or the mounted account"
                            .formatted(config.getCaCertFile(), e.getMessage()),
                    e);
        }
    }

    /** Reads an answer while it arrives. */
    @FunctionalInterface
    public interface Reader<T> {
        T read(JsonParser json) throws IOException;
    }

    /** A reader for requests whose response body does not matter. */
    public static boolean ignoreBody(JsonParser json) {
        return true;
    }

    /** GET; the reader starts at the first token of the body. */
    public <T> T get(String path, Reader<T> reader) throws IOException {
        return send("GET", path, null, null, reader);
    }

    public <T> T patch(String path, String contentType, String body, Reader<T> reader) throws IOException {
        return send("PATCH", path, contentType, body, reader);
    }

    public <T> T post(String path, String body, Reader<T> reader) throws IOException {
        return send("POST", path, "application/json", body, reader);
    }

    public void delete(String path) throws IOException {
        send("DELETE", path, null, null, ApiServer::ignoreBody);
    }

    private <T> T send(
            String method, String path, @Nullable String contentType, @Nullable String body, Reader<T> reader)
            throws IOException {
        budget.take();
        HttpRequest.Builder request = http.newHttpRequestBuilder().uri(url + path);
        if (method.equals("GET")) {
            request.header("Accept", "application/json");
        } else {
            request.method(method, contentType, body);
        }
        // The whole body within the time limit: a stream that stalls half-way must not hold up the loop.
        HttpResponse<byte[]> response = await(http.sendAsync(request.build(), byte[].class), method, path);
        observer.answered(method, path, response.code());
        if (!response.isSuccessful()) {
            throw error(
                    response.code(),
                    response.header("Retry-After"),
                    new ByteArrayInputStream(response.body()),
                    method,
                    path);
        }
        try (JsonParser json = JSON.createParser(response.body())) {
            json.nextToken();
            return reader.read(json);
        }
    }

    /** Opens a stream of events; the caller closes it. */
    InputStream stream(String path) throws IOException {
        budget.take();
        HttpRequest request =
                http.newHttpRequestBuilder().uri(url + path).forStreaming().build();
        HttpResponse<InputStream> response = await(http.sendAsync(request, InputStream.class), "GET", path);
        observer.answered("GET", path, response.code());
        if (!response.isSuccessful()) {
            try (InputStream body = response.body()) {
                throw error(response.code(), response.header("Retry-After"), body, "GET", path);
            }
        }
        return response.body();
    }

    private <T> T await(CompletableFuture<T> answer, String method, String path) throws IOException {
        try {
            return answer.get(ANSWER_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("stopped while waiting for the API server: " + method + " " + path);
        } catch (TimeoutException e) {
            answer.cancel(true);
            observer.answered(method, path, 0);
            throw new IOException(
                    "the API server gave no answer: url=%s request='%s %s' in %d s; check that it runs and is not overloaded"
                            .formatted(url, method, path, ANSWER_WITHIN.toSeconds()),
                    e);
        } catch (ExecutionException e) {
            observer.answered(method, path, 0);
            throw new IOException(
                    "the API server cannot be reached: url=%s request='%s %s' reason='%s'; check the address and that it runs"
                            .formatted(url, method, path, Failures.reason(e)),
                    e);
        }
    }

    private ApiException error(int status, String retryAfter, InputStream body, String method, String path)
            throws IOException {
        String text = new String(body.readNBytes(ERROR_BYTES), StandardCharsets.UTF_8);
        return new ApiException(
                status,
                "the API server refused: request='%s %s' status=%d message='%s'"
                        .formatted(method, path, status, statusMessage(text)),
                Optional.ofNullable(retryAfter).flatMap(ApiServer::seconds));
    }

    private static Optional<Duration> seconds(String retryAfter) {
        boolean number = !retryAfter.isEmpty()
                && retryAfter.length() < 6
                && retryAfter.chars().allMatch(Character::isDigit);
        return number ? Optional.of(Duration.ofSeconds(Integer.parseInt(retryAfter))) : Optional.empty();
    }

    /** The message of a Status object; a proxy's page in the way is cut short. */
    static String statusMessage(String body) {
        try (JsonParser json = JSON.createParser(body)) {
            if (json.nextToken() == JsonToken.START_OBJECT) {
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String field = json.currentName();
                    json.nextToken();
                    if (field.equals("message")) {
                        return json.getText();
                    }
                    json.skipChildren();
                }
            }
        } catch (IOException e) {
            return shortened(body);
        }
        return shortened(body);
    }

    private static String shortened(String text) {
        String line = text.strip().replaceAll("\\s+", " ").toLowerCase(Locale.ROOT);
        return line.length() > 120 ? line.substring(0, 120) + "…" : line;
    }

    @Override
    public void close() {
        http.close();
    }
}
