package io.numaledger.apiservers.fake;

import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.nrt;
import static org.assertj.core.api.Assertions.assertThat;

/** NodeResourceTopologies, in both servers. */
@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class CustomResourceTest {

    @Parameter
    ServerUnderTest server;

    private ApiCalls api;
    private String name;

    @BeforeEach
    void nameOfOurOwn() {
        api = server.api();
        name = ServerUnderTest.freshName("n");
    }

    @Test
    void refusesAKindOrAVersionOfAnother() {
        assertThat(api.post(NRTS, "{\"metadata\":{\"name\":\"x\"},\"zones\":[]}")
                        .code())
                .isEqualTo(400);
        assertThat(api.post(NRTS, nrt(name, "\"zones\":[]").replace("Topology\"", "Tapology\""))
                        .message())
                .endsWith("is invalid: kind: Invalid value: \"NodeResourceTapology\": must be NodeResourceTopology");
    }

    @Test
    void answersADeletionWithItsSuccess() {
        Reply created = api.post(NRTS, nrt(name, "\"zones\":[]"));

        Reply deleted = api.delete(NRTS + "/" + name);

        assertThat(deleted.at("/kind").asText()).isEqualTo("Status");
        assertThat(deleted.at("/status").asText()).isEqualTo("Success");
        assertThat(deleted.at("/details").toString())
                .isEqualTo(("{\"name\":\"%s\",\"group\":\"topology.node.k8s.io\",\"kind\":\"noderesourcetopologies\","
                                + "\"uid\":\"%s\"}")
                        .formatted(name, created.uid()));
    }

    @Test
    void discoversTheResource() {
        Reply resources = api.get("/apis/topology.node.k8s.io/v1alpha2");
        Reply group = api.get("/apis/topology.node.k8s.io");

        assertThat(resources.at("/resources/0/name").asText()).isEqualTo("noderesourcetopologies");
        assertThat(resources.at("/resources/0/kind").asText()).isEqualTo("NodeResourceTopology");
        assertThat(resources.at("/resources/0/namespaced").asBoolean(true)).isFalse();
        assertThat(group.at("/preferredVersion/version").asText()).isEqualTo("v1alpha2");
        assertThat(api.get("/api/v1").at("/resources").toString()).contains("\"pods\"");
        assertThat(api.get("/api").at("/versions/0").asText()).isEqualTo("v1");
        assertThat(api.get("/version").at("/minor").asText()).isEqualTo("36");
        assertThat(api.get("/readyz").code()).isEqualTo(200);
    }
}
