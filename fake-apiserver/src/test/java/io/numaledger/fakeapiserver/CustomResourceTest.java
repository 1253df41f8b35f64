package io.numaledger.fakeapiserver;

import io.numaledger.fakeapiserver.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static io.numaledger.fakeapiserver.ApiCalls.MERGE;
import static io.numaledger.fakeapiserver.SampleObjects.NRTS;
import static io.numaledger.fakeapiserver.SampleObjects.OLD_NRTS;
import static io.numaledger.fakeapiserver.SampleObjects.nrt;
import static io.numaledger.fakeapiserver.SampleObjects.zone;
import static org.assertj.core.api.Assertions.assertThat;

/** The chart's NodeResourceTopology definition, in both servers. */
@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class CustomResourceTest {

    private static final String DEFINITION =
            "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/" + "noderesourcetopologies.topology.node.k8s.io";

    private static final String PATTERN = "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
            + "([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$";

    @Parameter
    ServerUnderTest server;

    private ApiCalls api;
    private String name;

    @BeforeEach
    void nameOfOurOwn() {
        api = server.api();
        name = ServerUnderTest.freshName("n");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
            no zones        |                                    | zones: Required value
            zones are null  | "zones":null                       | zones: Required value
            a zone is null  | "zones":[null]                     | zones[0]: Invalid value: "null": zones[0] in body must be of type object: "null"
            no type         | "zones":[{"name":"z"}]             | zones[0].type: Required value
            type a number   | "zones":[{"name":"z","type":7}]    | zones[0].type: Invalid value: "integer": zones[0].type in body must be of type string: "integer"
            zones a string  | "zones":"z"                        | zones: Invalid value: "string": zones in body must be of type array: "string"
            attribute short | "zones":[],"attributes":[{"name":"a"}] | attributes[0].value: Required value
            cost a string   | "zones":[{"name":"z","type":"Node","costs":[{"name":"z","value":"x"}]}] | zones[0].costs[0].value: Invalid value: "string": zones[0].costs[0].value in body must be of type integer: "string"
            """)
    void reportsInvalidFields(String situation, String rest, String problem) {
        Reply refused = api.post(NRTS, nrt(name, rest == null ? "" : rest));

        assertThat(refused.code()).as(situation).isEqualTo(422);
        assertThat(refused.reason()).isEqualTo("Invalid");
        assertThat(refused.message())
                .isEqualTo("NodeResourceTopology.topology.node.k8s.io \"%s\" is invalid: %s".formatted(name, problem));
    }

    @Test
    void reportsAllInvalidFields() {
        Reply refused = api.post(NRTS, nrt(name, """
                "zones":[{"name":"z","resources":[{"name":"cpu","capacity":"4","allocatable":"4x"}]}]"""));

        assertThat(refused.message())
                .isEqualTo(("NodeResourceTopology.topology.node.k8s.io \"%s\" is invalid:"
                                + " [zones[0].resources[0].allocatable: Invalid value: \"4x\":"
                                + " zones[0].resources[0].allocatable in body should match '%s',"
                                + " zones[0].resources[0].available: Required value, zones[0].type: Required value]")
                        .formatted(name, PATTERN));
        assertThat(refused.at("/details/causes")).hasSize(3);
    }

    @Test
    void takesQuantitiesAsNumbersAndStrings() {
        Reply created = api.post(NRTS, nrt(name, """
                "zones":[{"name":"z","type":"Node","resources":[{"name":"cpu","capacity":4,"allocatable":"3500m","available":"-1"}]}]"""));

        assertThat(created.code()).isEqualTo(201);
        assertThat(created.at("/zones/0/resources/0/capacity").isInt()).isTrue();
    }

    @Test
    void prunesUnknownFields() {
        String rest = "\"bogus\":1,\"zones\":[{\"name\":\"z\",\"type\":\"Node\",\"bogus\":1}]";

        Reply strict = api.post(NRTS + "?fieldValidation=Strict", nrt(name, rest));
        Reply lenient = api.post(NRTS, nrt(name, rest));

        assertThat(strict.code()).isEqualTo(400);
        assertThat(strict.message())
                .isEqualTo("NodeResourceTopology in version \"v1alpha2\" cannot be handled as a NodeResourceTopology:"
                        + " strict decoding error: unknown field \"bogus\", unknown field \"zones[0].bogus\"");
        assertThat(lenient.at("/zones/0").toString()).isEqualTo("{\"name\":\"z\",\"type\":\"Node\"}");
        assertThat(lenient.body().has("bogus")).isFalse();
    }

    @Test
    void convertsToTheOldVersion() {
        api.post(
                NRTS,
                nrt(
                        name,
                        "\"attributes\":[{\"name\":\"a\",\"value\":\"b\"}],\"zones\":[%s]".formatted(zone("z", "1"))));

        Reply old = api.get(OLD_NRTS + "/" + name);
        Reply refused = api.patch(OLD_NRTS + "/" + name, MERGE, "{\"metadata\":{\"annotations\":{\"x\":\"y\"}}}");
        Reply written = api.patch(OLD_NRTS + "/" + name, MERGE, "{\"topologyPolicies\":[\"None\"]}");

        assertThat(old.at("/apiVersion").asText()).isEqualTo("topology.node.k8s.io/v1alpha1");
        assertThat(old.body().has("attributes")).isFalse();
        assertThat(refused.message()).contains("topologyPolicies: Required value");
        assertThat(written.code()).isEqualTo(200);
        assertThat(api.get(NRTS + "/" + name).body().has("attributes")).isFalse();
        assertThat(api.get(NRTS + "/" + name).at("/topologyPolicies/0").asText())
                .isEqualTo("None");
    }

    @Test
    void refusesAKindOrAVersionOfAnother() {
        assertThat(api.post(NRTS, "{\"metadata\":{\"name\":\"x\"},\"zones\":[]}")
                        .code())
                .isEqualTo(400);
        assertThat(api.post(OLD_NRTS, nrt(name, "\"zones\":[]")).code()).isEqualTo(400);
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
    void showsTheDefinitionAndDiscoversTheResource() {
        Reply definition = api.get(DEFINITION);
        Reply resources = api.get("/apis/topology.node.k8s.io/v1alpha2");
        Reply group = api.get("/apis/topology.node.k8s.io");

        assertThat(definition.at("/spec/names/shortNames/0").asText()).isEqualTo("node-res-topo");
        assertThat(definition.at("/status/conditions").toString()).contains("\"Established\"");
        assertThat(resources.at("/resources/0/name").asText()).isEqualTo("noderesourcetopologies");
        assertThat(resources.at("/resources/0/kind").asText()).isEqualTo("NodeResourceTopology");
        assertThat(resources.at("/resources/0/namespaced").asBoolean(true)).isFalse();
        assertThat(group.at("/preferredVersion/version").asText()).isEqualTo("v1alpha2");
        assertThat(api.get("/api/v1").at("/resources").toString()).contains("\"pods/binding\"");
        assertThat(api.get("/api").at("/versions/0").asText()).isEqualTo("v1");
        assertThat(api.get("/version").at("/minor").asText()).isEqualTo("36");
        assertThat(api.get("/readyz").code()).isEqualTo(200);
    }
}
