package io.numaledger.simulator.fleet;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;

import static org.assertj.core.api.Assertions.assertThat;

/** What clients of other schedulers read before they list objects. */
class FleetApiTest {

    private static String get(FleetApi api, String path) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:%d%s".formatted(api.address().getPort(), path));
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), BodyHandlers.ofString())
                .body();
    }

    @Test
    void tellsWhichKindsThereAre() throws Exception {
        try (FleetApi api = new FleetApi(FleetMix.PLAIN.nodes(1, 1), 1)) {
            assertThat(get(api, "/apis")).contains("\"topology.node.k8s.io/v1alpha2\"");
            assertThat(get(api, "/apis/topology.node.k8s.io/v1alpha2"))
                    .contains("\"kind\":\"APIResourceList\"", "\"kind\":\"NodeResourceTopology\"");
            assertThat(get(api, "/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies"))
                    .startsWith(
                            "{\"kind\":\"NodeResourceTopologyList\",\"apiVersion\":\"topology.node.k8s.io/v1alpha2\",")
                    .contains("\"zones\"");
            assertThat(get(api, "/api/v1/pods?limit=1")).startsWith("{\"kind\":\"PodList\",\"apiVersion\":\"v1\",");
        }
    }
}
