package io.numaledger.agent.api;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.internal.SSLUtils;
import io.numaledger.agent.api.HttpConnections.Answer;
import io.numaledger.agent.api.HttpConnections.Server;
import io.numaledger.agent.api.HttpConnections.Timeouts;
import io.numaledger.cli.Failures;
import org.apache.hc.core5.http.ClassicHttpRequest;
import org.apache.hc.core5.http.io.entity.ByteArrayEntity;
import org.apache.hc.core5.http.message.BasicClassicHttpRequest;
import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.Base64;
import java.util.Locale;
import java.util.Optional;

/**
 * The few narrow calls that the agent makes to the API server. Configuration, credentials and TLS keys are read by fabric8; JSON is
 * streamed, since the typed client costs 50 MB more on every node.
 */
public final class ApiServer implements AutoCloseable {

    public static final String MERGE_PATCH = "application/merge-patch+json";
    public static final String APPLY_PATCH = "application/apply-patch+yaml";

    static final JsonFactory JSON = new JsonFactory();
    private static final Timeouts TIMEOUTS = new Timeouts(Duration.ofSeconds(5), Duration.ofSeconds(15));
    /** An object of the API server is at most 1.5 MiB; an error's text is far less. */
    private static final int ERROR_BYTES = 64 << 10;

    private final HttpConnections http;
    private final String url;
    private final String host;
    private final String path;
    private final RequestBudget budget;
    private final Config config;
    private final BearerToken token;
    private volatile RequestObserver observer = (method, path, status) -> {};

    private ApiServer(Config config, RequestBudget budget) throws IOException {
        this.config = config;
        this.token = new BearerToken(config);
        this.url = config.getMasterUrl().replaceAll("/+$", "");
        this.budget = budget;
        URI address = URI.create(url);
        this.host = address.getRawAuthority();
        this.path = address.getRawPath();
        this.http = new HttpConnections(server(address, config), TIMEOUTS);
    }

    private static Server server(URI address, Config config) throws IOException {
        boolean secure = "https".equals(address.getScheme());
        String host = address.getHost().replaceAll("[\\[\\]]", "");
        int port = address.getPort() >= 0 ? address.getPort() : secure ? 443 : 80;
        Optional<String> name = Optional.of(
                        Optional.ofNullable(config.getTlsServerName()).orElse(host))
                .filter(any -> !config.isTrustCerts() && !config.isDisableHostnameVerification());
        try {
            return new Server(host, port, secure ? Optional.of(SSLUtils.sslContext(config)) : Optional.empty(), name);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "cannot use the certificates or keys for the API server: url=%s: %s; check the kubeconfig or the mounted account"
                            .formatted(address, e.getMessage()),
                    e);
        }
    }

    /**
     * Connects with a kubeconfig file or, without one, with the pod's own account.
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

    /** The address of the API server, for messages. */
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
        return token.current();
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
        Answer<byte[]> answer = await(method, path, () -> http.send(request(method, path, contentType, body)));
        if (!isSuccess(answer)) {
            throw error(answer, new ByteArrayInputStream(answer.body()), method, path);
        }
        try (JsonParser json = JSON.createParser(answer.body())) {
            json.nextToken();
            return reader.read(json);
        }
    }

    /** Opens a stream of events; the caller closes it. */
    InputStream stream(String path) throws IOException {
        Answer<InputStream> answer = await("GET", path, () -> http.stream(request("GET", path, null, null)));
        if (!isSuccess(answer)) {
            try (InputStream body = answer.body()) {
                throw error(answer, body, "GET", path);
            }
        }
        return answer.body();
    }

    private ClassicHttpRequest request(
            String method, String path, @Nullable String contentType, @Nullable String body) {
        ClassicHttpRequest request = new BasicClassicHttpRequest(method, this.path + path);
        request.setHeader("Host", host);
        request.setHeader("User-Agent", "numaledger-agent");
        request.setHeader("Accept", "application/json");
        bearerToken().ifPresent(token -> request.setHeader("Authorization", "Bearer " + token));
        if (body != null) {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            request.setHeader("Content-Type", contentType);
            request.setHeader("Content-Length", bytes.length);
            request.setEntity(new ByteArrayEntity(bytes, null));
        }
        return request;
    }

    private static boolean isSuccess(Answer<?> answer) {
        return answer.status() >= 200 && answer.status() < 300;
    }

    private interface Call<B> {
        Answer<B> send() throws IOException;
    }

    /** Sends the request, and once more with a token that is read again if the API server does not know the token. */
    private <B> Answer<B> await(String method, String path, Call<B> call) throws IOException {
        budget.take();
        try {
            token.refreshIfOld();
            Answer<B> answer = call.send();
            if (answer.status() == 401 && token.refresh()) {
                if (answer.body() instanceof InputStream refused) {
                    refused.close();
                }
                answer = call.send();
            }
            observer.answered(method, path, answer.status());
            return answer;
        } catch (SocketTimeoutException e) {
            observer.answered(method, path, 0);
            throw new IOException(
                    "the API server gave no answer: url=%s request='%s %s' in %d s; check that it runs and is not overloaded"
                            .formatted(url, method, path, TIMEOUTS.answer().toSeconds()),
                    e);
        } catch (IOException e) {
            observer.answered(method, path, 0);
            throw new IOException(
                    "the API server cannot be reached: url=%s request='%s %s' reason='%s'; check the address and that it runs"
                            .formatted(url, method, path, Failures.reason(e)),
                    e);
        }
    }

    private static ApiException error(Answer<?> answer, InputStream body, String method, String path)
            throws IOException {
        String text = new String(body.readNBytes(ERROR_BYTES), StandardCharsets.UTF_8);
        return new ApiException(
                answer.status(),
                "the API server refused: request='%s %s' status=%d message='%s'"
                        .formatted(method, path, answer.status(), statusMessage(text)),
                answer.retryAfter().flatMap(ApiServer::seconds));
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
