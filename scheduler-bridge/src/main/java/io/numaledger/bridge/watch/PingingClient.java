package io.numaledger.bridge.watch;

import org.jspecify.annotations.Nullable;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** An HTTP client that pings the servers of its WebSockets. See {@link PingingClientFactory}. */
final class PingingClient extends HttpClient {

    private static final long INTERVAL_SECONDS = 2;

    private final HttpClient client;

    PingingClient(HttpClient client) {
        this.client = client;
    }

    @Override
    public WebSocket.Builder newWebSocketBuilder() {
        return new Builder(client.newWebSocketBuilder());
    }

    private record Builder(WebSocket.Builder builder) implements WebSocket.Builder {

        @Override
        public WebSocket.Builder header(String name, String value) {
            return new Builder(builder.header(name, value));
        }

        @Override
        public WebSocket.Builder connectTimeout(Duration timeout) {
            return new Builder(builder.connectTimeout(timeout));
        }

        @Override
        public WebSocket.Builder subprotocols(String mostPreferred, String... lesserPreferred) {
            return new Builder(builder.subprotocols(mostPreferred, lesserPreferred));
        }

        @Override
        public CompletableFuture<WebSocket> buildAsync(URI uri, WebSocket.Listener listener) {
            return builder.buildAsync(uri, listener).thenApply(webSocket -> {
                new Pings(webSocket, listener).later();
                return webSocket;
            });
        }
    }

    private record Pings(WebSocket webSocket, WebSocket.Listener listener) {

        void later() {
            CompletableFuture.delayedExecutor(INTERVAL_SECONDS, TimeUnit.SECONDS)
                    .execute(this::ping);
        }

        private void ping() {
            if (webSocket.isInputClosed() || webSocket.isOutputClosed()) {
                return;
            }
            var unused = webSocket.sendPing(ByteBuffer.allocate(0)).whenComplete((sent, failure) -> {
                if (failure instanceof IOException) {
                    webSocket.abort();
                    listener.onError(webSocket, failure);
                } else {
                    later();
                }
            });
        }
    }

    @Override
    public <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException, InterruptedException {
        return client.send(request, handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(HttpRequest request, HttpResponse.BodyHandler<T> handler) {
        return client.sendAsync(request, handler);
    }

    @Override
    public <T> CompletableFuture<HttpResponse<T>> sendAsync(
            HttpRequest request,
            HttpResponse.BodyHandler<T> handler,
            HttpResponse.@Nullable PushPromiseHandler<T> pushHandler) {
        return client.sendAsync(request, handler, pushHandler);
    }

    @Override
    public Optional<CookieHandler> cookieHandler() {
        return client.cookieHandler();
    }

    @Override
    public Optional<Duration> connectTimeout() {
        return client.connectTimeout();
    }

    @Override
    public Redirect followRedirects() {
        return client.followRedirects();
    }

    @Override
    public Optional<ProxySelector> proxy() {
        return client.proxy();
    }

    @Override
    public SSLContext sslContext() {
        return client.sslContext();
    }

    @Override
    public SSLParameters sslParameters() {
        return client.sslParameters();
    }

    @Override
    public Optional<Authenticator> authenticator() {
        return client.authenticator();
    }

    @Override
    public Version version() {
        return client.version();
    }

    @Override
    public Optional<Executor> executor() {
        return client.executor();
    }
}
