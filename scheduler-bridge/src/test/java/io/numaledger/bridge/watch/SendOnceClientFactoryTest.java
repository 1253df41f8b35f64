package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.WebSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Connections that a server ends, as an API server does when it is stopped. */
class SendOnceClientFactoryTest {

    private static final byte[] ONE_MESSAGE = {(byte) 0x81, 1, 'x'};

    /** RFC 6455, section 1.3. */
    private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private static final String CREATED = "HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}";

    private final CountDownLatch received = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);
    private final AtomicInteger posts = new AtomicInteger();
    private ServerSocket server;
    private KubernetesClient client;

    @BeforeEach
    void start() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        client = new KubernetesClientBuilder()
                .withConfig(new ConfigBuilder()
                        .withMasterUrl("http://127.0.0.1:" + server.getLocalPort())
                        .withRequestRetryBackoffLimit(0)
                        .build())
                .build();
    }

    @AfterEach
    void stop() throws IOException {
        client.close();
        server.close();
    }

    /** OkHttp would send it on a new connection, because the known one has served a request before. */
    @Test
    void sendsNoPostAgainAfterTheConnectionWasClosed() {
        var unused = CompletableFuture.runAsync(this::answerEveryOtherPost);

        client.raw("/", "POST", Map.of());
        assertThatThrownBy(() -> client.raw("/", "POST", Map.of())).isInstanceOf(KubernetesClientException.class);
        client.raw("/", "POST", Map.of());

        assertThat(posts).hasValue(3);
    }

    private void answerEveryOtherPost() {
        while (true) {
            try (Socket connection = server.accept()) {
                BufferedReader requests = reader(connection);
                while (true) {
                    header(requests, "content-length: ");
                    requests.skip(2);
                    if (posts.incrementAndGet() % 2 == 0) {
                        break;
                    }
                    connection.getOutputStream().write(CREATED.getBytes(StandardCharsets.US_ASCII));
                }
            } catch (IOException closed) {
                return;
            }
        }
    }

    @Test
    void tellsOfTheEndOfAConnectionWhileAMessageIsHandled() throws Exception {
        HttpClient http = client.getHttpClient();
        CompletableFuture<Void> served = CompletableFuture.runAsync(this::sendOneMessage);
        CompletableFuture<WebSocket> opened = http.newWebSocketBuilder()
                .uri(URI.create("http://127.0.0.1:" + server.getLocalPort()))
                .buildAsync(new NeverReady());

        opened.get(3, TimeUnit.MINUTES);
        served.get(3, TimeUnit.MINUTES);
        assertThat(ended.await(3, TimeUnit.MINUTES)).isTrue();
    }

    /** Never asks for a second message. */
    private final class NeverReady implements WebSocket.Listener {

        @Override
        public void onMessage(WebSocket webSocket, String text) {
            received.countDown();
        }

        @Override
        public void onError(WebSocket webSocket, Throwable error) {
            ended.countDown();
        }
    }

    private void sendOneMessage() {
        try (Socket connection = server.accept()) {
            OutputStream out = connection.getOutputStream();
            out.write(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"
                            .formatted(accepted(header(reader(connection), "sec-websocket-key: ")))
                            .getBytes(StandardCharsets.US_ASCII));
            out.write(ONE_MESSAGE);
            out.flush();
            received.await(3, TimeUnit.MINUTES);
        } catch (IOException | GeneralSecurityException | InterruptedException e) {
            throw new IllegalStateException("the connection failed", e);
        }
    }

    private static BufferedReader reader(Socket connection) throws IOException {
        return new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
    }

    /** Reads the head of a request, and returns the value of the header. */
    private static String header(BufferedReader request, String name) throws IOException {
        String value = "";
        String line = request.readLine();
        for (; line != null && !line.isEmpty(); line = request.readLine()) {
            if (line.regionMatches(true, 0, name, 0, name.length())) {
                value = line.substring(name.length());
            }
        }
        if (line == null) {
            throw new IOException("closed");
        }
        return value;
    }

    private static String accepted(String key) throws GeneralSecurityException {
        byte[] digest = MessageDigest.getInstance("SHA-1").digest((key + ACCEPT).getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(digest);
    }
}
