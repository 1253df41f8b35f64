package io.numaledger.bridge.watch;

import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CallingThreadClientFactoryTest {

    private ServerSocket server;

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void close() throws IOException {
        server.close();
    }

    private KubernetesClient client(int timeoutMillis) {
        return new KubernetesClientBuilder()
                .withHttpClientFactory(new CallingThreadClientFactory())
                .withConfig(new ConfigBuilder()
                        .withMasterUrl("http://127.0.0.1:" + server.getLocalPort())
                        .withRequestRetryBackoffLimit(0)
                        .withRequestTimeout(timeoutMillis)
                        .build())
                .build();
    }

    @Test
    void awaitsTheAnswerInTheThreadThatCalls() throws Exception {
        Thread caller = Thread.currentThread();
        CompletableFuture<List<String>> calling = CompletableFuture.supplyAsync(() -> answer(caller));

        try (KubernetesClient client = client(60_000)) {
            assertThat(client.raw("/", "POST", Map.of())).isEqualTo("{}");
        }

        assertThat(calling.get(1, TimeUnit.MINUTES)).anyMatch(name -> name.startsWith("okhttp3."));
    }

    /** Answers one request. Returns the classes in which the caller waits until then. */
    private List<String> answer(Thread caller) {
        try (Socket connection = server.accept()) {
            BufferedReader request =
                    new BufferedReader(new InputStreamReader(connection.getInputStream(), StandardCharsets.US_ASCII));
            String line;
            do {
                line = request.readLine();
            } while (!line.isEmpty());
            assertThat(request.read(new char[2])).isEqualTo(2);
            List<String> calling = Stream.of(caller.getStackTrace())
                    .map(StackTraceElement::getClassName)
                    .toList();
            connection
                    .getOutputStream()
                    .write("HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}".getBytes(StandardCharsets.US_ASCII));
            return calling;
        } catch (IOException e) {
            throw new IllegalStateException("the connection failed", e);
        }
    }

    @Test
    void endsARequestThatIsNotAnswered() {
        try (KubernetesClient client = client(100)) {
            assertThatThrownBy(() -> client.raw("/", "POST", Map.of())).isInstanceOf(KubernetesClientException.class);
        }
    }
}
