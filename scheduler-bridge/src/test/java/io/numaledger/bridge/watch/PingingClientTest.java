package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.http.HttpClient;
import io.fabric8.kubernetes.client.http.WebSocket;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

/** WebSockets of a server that sends one message and ends the connection, as an API server does when it is stopped. */
class PingingClientTest {

    private static final byte[] ONE_MESSAGE = {(byte) 0x81, 1, 'x'};

    /** RFC 6455, section 1.3. */
    private static final String ACCEPT = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final CountDownLatch received = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(1);

    @Test
    void tellsOfTheEndOfAConnectionWhileAMessageIsHandled() throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                HttpClient client = ((HttpClient.Factory) new PingingClientFactory())
                        .newBuilder()
                        .build()) {
            CompletableFuture<Void> served = CompletableFuture.runAsync(() -> serve(server));
            CompletableFuture<WebSocket> opened = client.newWebSocketBuilder()
                    .uri(URI.create("http://127.0.0.1:" + server.getLocalPort()))
                    .buildAsync(new NeverReady());

            opened.get(3, TimeUnit.MINUTES);
            served.get(3, TimeUnit.MINUTES);
            assertThat(ended.await(3, TimeUnit.MINUTES)).isTrue();
        }
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

    private void serve(ServerSocket server) {
        try (Socket connection = server.accept()) {
            OutputStream out = connection.getOutputStream();
            out.write(
                    "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: %s\r\n\r\n"
                            .formatted(accepted(key(connection)))
                            .getBytes(StandardCharsets.US_ASCII));
            out.write(ONE_MESSAGE);
            out.flush();
            received.await(3, TimeUnit.MINUTES);
        } catch (IOException | GeneralSecurityException | InterruptedException e) {
            throw new IllegalStateException("the connection failed", e);
        }
    }

    private static String key(Socket connection) throws IOException {
        BufferedReader request =
                new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
        String key = "";
        for (String line = request.readLine(); line != null && !line.isEmpty(); line = request.readLine()) {
            if (line.startsWith("Sec-WebSocket-Key: ")) {
                key = line.substring("Sec-WebSocket-Key: ".length());
            }
        }
        return key;
    }

    private static String accepted(String key) throws GeneralSecurityException {
        byte[] digest = MessageDigest.getInstance("SHA-1").digest((key + ACCEPT).getBytes(StandardCharsets.US_ASCII));
        return Base64.getEncoder().encodeToString(digest);
    }
}
