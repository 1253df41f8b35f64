package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.ArrayList;
import java.util.List;

import static io.numaledger.apiservers.fake.ApiCalls.JSON_PATCH;
import static io.numaledger.apiservers.fake.ApiCalls.MERGE;
import static io.numaledger.apiservers.fake.ApiCalls.STRATEGIC;
import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.nrt;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static io.numaledger.apiservers.fake.SampleObjects.zone;
import static org.assertj.core.api.Assertions.assertThat;

@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class PatchTest {

    @Parameter
    ServerUnderTest server;

    private ApiCalls api;
    private String pod;
    private Reply created;

    @BeforeEach
    void podOfOurOwn() {
        api = server.api();
        String pods = pods(server.freshNamespace());
        created = api.post(pods, pod("p", "\"app\":\"x\""));
        pod = pods + "/p";
    }

    @Test
    void mergePatchAddsAndDeletesAnnotations() {
        Reply added = api.patch(pod, MERGE, "{\"metadata\":{\"annotations\":{\"a\":\"1\",\"b\":\"2\"}}}");
        Reply deleted = api.patch(pod, MERGE, "{\"metadata\":{\"annotations\":{\"a\":null}}}");
        Reply last = api.patch(pod, MERGE, "{\"metadata\":{\"annotations\":{\"b\":null}}}");

        assertThat(added.at("/metadata/annotations").toString()).isEqualTo("{\"a\":\"1\",\"b\":\"2\"}");
        assertThat(deleted.at("/metadata/annotations").toString()).isEqualTo("{\"b\":\"2\"}");
        assertThat(last.at("/metadata").has("annotations")).isFalse();
        assertThat(last.at("/metadata/generation").asLong()).isEqualTo(1);
    }

    @Test
    void aPatchThatChangesNothingIsNotStored() {
        Reply first = api.patch(pod, MERGE, "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}");
        Reply second = api.patch(pod + "?fieldManager=other", MERGE, "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}");
        Reply absent = api.patch(pod, MERGE, "{\"metadata\":{\"annotations\":{\"none\":null}}}");

        assertThat(second.resourceVersion()).isEqualTo(first.resourceVersion());
        assertThat(absent.resourceVersion()).isEqualTo(first.resourceVersion());
        assertThat(second.body()).isEqualTo(first.body());
    }

    @Test
    void theUidInAMergePatchIsAPrecondition() {
        Reply other = api.patch(pod, MERGE, "{\"metadata\":{\"uid\":\"1-2-3\",\"annotations\":{\"a\":\"1\"}}}");
        Reply own = api.patch(
                pod, MERGE, "{\"metadata\":{\"uid\":\"" + created.uid() + "\",\"annotations\":{\"a\":\"1\"}}}");

        assertThat(other.code()).isEqualTo(422);
        assertThat(other.reason()).isEqualTo("Invalid");
        assertThat(other.message())
                .isEqualTo("Pod \"p\" is invalid: metadata.uid: Invalid value: \"1-2-3\": field is immutable");
        assertThat(other.at("/details/causes/0/field").asText()).isEqualTo("metadata.uid");
        assertThat(own.code()).isEqualTo(200);
    }

    @Test
    void theVersionInAMergePatchIsAPrecondition() {
        Reply stale = api.patch(pod, MERGE, "{\"metadata\":{\"resourceVersion\":\"1\",\"annotations\":{\"a\":\"1\"}}}");

        assertThat(stale.code()).isEqualTo(409);
        assertThat(stale.message())
                .startsWith("Operation cannot be fulfilled on pods \"p\": the object has been modified");
    }

    @Test
    void refusesInvalidPatches() {
        assertThat(api.patch(pod, MERGE, "{\"metadata\":").code()).isEqualTo(400);
        assertThat(api.patch(pod, MERGE, "[]").message())
                .isEqualTo(
                        "error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}");
        assertThat(api.patch(pod, "application/json", "{}").code()).isEqualTo(415);
        assertThat(api.patch(pod, "application/json", "{}").reason()).isEqualTo("UnsupportedMediaType");
        assertThat(api.patch(pod + "x", MERGE, "{}").message()).isEqualTo("pods \"px\" not found");
        assertThat(api.patch(pod, MERGE, "{\"metadata\":{\"annotations\":{\"a\":5}}}")
                        .code())
                .isEqualTo(422);
    }

    @Test
    void jsonPatchDoesAllOrNothing() {
        Reply done = api.patch(pod, JSON_PATCH, """
                [{"op":"test","path":"/metadata/labels/app","value":"x"},
                 {"op":"add","path":"/metadata/annotations","value":{"a":"1"}},
                 {"op":"replace","path":"/metadata/labels/app","value":"y"}]""");
        Reply failed = api.patch(pod, JSON_PATCH, """
                [{"op":"remove","path":"/metadata/annotations/a"},
                 {"op":"test","path":"/metadata/labels/app","value":"x"}]""");

        assertThat(done.at("/metadata/annotations/a").asText()).isEqualTo("1");
        assertThat(done.at("/metadata/labels/app").asText()).isEqualTo("y");
        assertThat(failed.code()).isEqualTo(422);
        assertThat(failed.reason()).isEqualTo("Invalid");
        assertThat(api.get(pod).body()).isEqualTo(done.body());
    }

    @Test
    void strategicMergePatchMergesConditionsByType() {
        String status = pod + "/status";
        api.patch(status, STRATEGIC, conditions("Ready", "False", "NumaPlaced", "True"));

        Reply changed = api.patch(status, STRATEGIC, conditions("Ready", "True"));

        assertThat(shortConditions(changed)).containsExactlyInAnyOrder("Ready=True", "NumaPlaced=True");
    }

    @Test
    void strategicMergePatchIsNotForCustomResources() {
        String name = ServerUnderTest.freshName("n");
        api.post(NRTS, nrt(name, "\"zones\":[]"));

        Reply refused = api.patch(NRTS + "/" + name, STRATEGIC, "{\"zones\":[]}");

        assertThat(refused.code()).isEqualTo(415);
        assertThat(refused.message())
                .isEqualTo("the body of the request was in an unknown format - accepted media types include:"
                        + " application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml");
    }

    @Test
    void mergePatchReplacesWholeListsAndCountsGenerations() {
        String name = ServerUnderTest.freshName("n");
        api.post(NRTS, nrt(name, "\"zones\":[%s,%s]".formatted(zone("node-0", "8"), zone("node-1", "8"))));

        Reply zones = api.patch(NRTS + "/" + name, MERGE, "{\"zones\":[%s]}".formatted(zone("node-0", "3")));
        Reply annotation = api.patch(NRTS + "/" + name, MERGE, "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}");

        assertThat(zones.at("/zones")).hasSize(1);
        assertThat(zones.at("/metadata/generation").asLong()).isEqualTo(2);
        assertThat(annotation.at("/metadata/generation").asLong()).isEqualTo(2);
    }

    private static String conditions(String... typesAndStatuses) {
        List<String> items = new ArrayList<>();
        for (int i = 0; i < typesAndStatuses.length; i += 2) {
            items.add("{\"type\":\"%s\",\"status\":\"%s\"}".formatted(typesAndStatuses[i], typesAndStatuses[i + 1]));
        }
        return "{\"status\":{\"conditions\":[%s]}}".formatted(String.join(",", items));
    }

    private static List<String> shortConditions(Reply reply) {
        List<String> found = new ArrayList<>();
        for (JsonNode each : reply.at("/status/conditions")) {
            found.add(each.path("type").asText() + "=" + each.path("status").asText());
        }
        return found;
    }
}
