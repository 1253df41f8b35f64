package io.numaledger.apiservers.real;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class RealApiServerTest {

    @TempDir
    Path directory;

    @Test
    void servesBothVersionsOfTheDefinitionAndLeavesNoProcess() throws Exception {
        String binaries = System.getenv("KUBEBUILDER_ASSETS");
        assumeTrue(binaries != null, "KUBEBUILDER_ASSETS does not name a directory with etcd and kube-apiserver");
        long before = children();
        try (RealApiServer server = RealApiServer.start(Path.of(binaries), directory)) {
            assertThat(get(server, "/apis/topology.node.k8s.io/v1alpha1/noderesourcetopologies"))
                    .isEqualTo(200);
            assertThat(get(server, "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"))
                    .isEqualTo(200);
            assertThat(children()).isEqualTo(before + 2);
        }
        assertThat(children()).isEqualTo(before);
    }

    @Test
    void saysWhatDidNotStart() throws IOException {
        Path empty = Files.createDirectory(directory.resolve("empty"));
        assertThatThrownBy(() -> RealApiServer.start(empty, directory.resolve("work")))
                .isInstanceOf(RealApiServerException.class)
                .hasMessageContaining("an API server did not start: waiting_for=its certificate")
                .hasMessageContaining("read the end of the log")
                .hasMessageMatching("(?s).*/(etcd|kube-apiserver): not found.*");
    }

    private static int get(RealApiServer server, String path) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(server.url().resolve(path))
                .header("Authorization", "Bearer " + server.token())
                .build();
        return server.httpClient()
                .send(request, HttpResponse.BodyHandlers.discarding())
                .statusCode();
    }

    private static long children() {
        return ProcessHandle.current().children().filter(ProcessHandle::isAlive).count();
    }
}
