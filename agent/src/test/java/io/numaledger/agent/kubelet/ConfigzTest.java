package io.numaledger.agent.kubelet;

import com.sun.net.httpserver.HttpServer;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/** Which failures pass by themselves, while the API server is asked where the kubelet is. */
class ConfigzTest {

    @TempDir
    private Path directory;

    private HttpServer server;
    private int status;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(status, -1);
            exchange.close();
        });
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({"503, true", "500, true", "429, true", "403, false", "401, false"})
    void takesAnApiServerThatCannotAnswerNowForAway(int answer, boolean away) throws IOException {
        status = answer;

        assertFailsToFindTheKubelet(away);
    }

    @Test
    void takesAnApiServerThatIsNotReachedForAway() throws IOException {
        server.stop(0);

        assertFailsToFindTheKubelet(true);
    }

    private void assertFailsToFindTheKubelet(boolean away) throws IOException {
        Path kubeconfig = Files.writeString(directory.resolve("kubeconfig"), """
                apiVersion: v1
                kind: Config
                clusters: [{name: c, cluster: {server: "http://127.0.0.1:%d"}}]
                users: [{name: u, user: {}}]
                contexts: [{name: x, context: {cluster: c, user: u}}]
                current-context: x
                """.formatted(
                        server.getAddress().getPort()));
        try (ApiServer api =
                ApiServer.connect(Optional.of(kubeconfig), new RequestBudget(100, 100, System::nanoTime))) {
            Throwable failure = catchThrowable(
                    new Configz(api, "worker", new Configz.Access(Optional.empty(), Optional.empty(), false))::read);

            assertThat(failure)
                    .isInstanceOf(IOException.class)
                    .hasMessageStartingWith("the kubelet's address is not known: ")
                    .hasMessageEndingWith("; grant get on nodes, or give --kubelet-address");
            assertThat(failure instanceof Configz.Unreachable).isEqualTo(away);
        }
    }
}
