package io.numaledger.apiservers.fake;

import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.nrt;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static org.assertj.core.api.Assertions.assertThat;

@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class ObjectVerbsTest {

    @Parameter
    ServerUnderTest server;

    private ApiCalls api;
    private String pods;

    @BeforeEach
    void namespaceOfOurOwn() {
        api = server.api();
        pods = pods(server.freshNamespace());
    }

    @Test
    void createsAPodWithTheServersFields() {
        Reply created = api.post(pods, pod("p", "\"app\":\"x\""));

        assertThat(created.code()).isEqualTo(201);
        assertThat(created.at("/kind").asText()).isEqualTo("Pod");
        assertThat(created.uid()).hasSize(36);
        assertThat(created.at("/metadata/creationTimestamp").asText())
                .matches("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ");
        assertThat(created.at("/metadata/generation").asLong()).isEqualTo(1);
        assertThat(created.at("/status/phase").asText()).isEqualTo("Pending");
        assertThat(created.at("/status/qosClass").asText()).isEqualTo("BestEffort");
        assertThat(created.at("/spec/terminationGracePeriodSeconds").asLong()).isEqualTo(30);
        assertThat(created.at("/spec/schedulerName").asText()).isEqualTo("default-scheduler");
        assertThat(api.get(pods + "/p").body()).isEqualTo(created.body());
    }

    @Test
    void refusesASecondObjectOfTheName() {
        api.post(pods, pod("p", ""));

        Reply again = api.post(pods, pod("p", ""));

        assertThat(again.code()).isEqualTo(409);
        assertThat(again.reason()).isEqualTo("AlreadyExists");
        assertThat(again.message()).isEqualTo("pods \"p\" already exists");
    }

    @Test
    void reportsMissingObjects() {
        Reply pod = api.get(pods + "/none");
        Reply topology = api.get(NRTS + "/none");

        assertThat(pod.code()).isEqualTo(404);
        assertThat(pod.message()).isEqualTo("pods \"none\" not found");
        assertThat(topology.message()).isEqualTo("noderesourcetopologies.topology.node.k8s.io \"none\" not found");
        assertThat(topology.at("/details/group").asText()).isEqualTo("topology.node.k8s.io");
        assertThat(api.post(pods("absent"), pod("p", "")).message()).isEqualTo("namespaces \"absent\" not found");
        assertThat(api.get("/api/v1/bogus").message()).isEqualTo("the server could not find the requested resource");
    }

    @Test
    void refusesAnUpdateOfAnOldVersion() {
        String name = ServerUnderTest.freshName("n");
        Reply created = api.post(NRTS, nrt(name, "\"zones\":[]"));
        api.patch(NRTS + "/" + name, ApiCalls.MERGE, "{\"attributes\":[{\"name\":\"a\",\"value\":\"b\"}]}");

        Reply stale = api.put(NRTS + "/" + name, created.body().toString());

        assertThat(stale.code()).isEqualTo(409);
        assertThat(stale.reason()).isEqualTo("Conflict");
        assertThat(stale.message())
                .isEqualTo(
                        "Operation cannot be fulfilled on noderesourcetopologies.topology.node.k8s.io \"" + name
                                + "\": the object has been modified; please apply your changes to the latest version and try again");
    }

    @Test
    void refusesAnUpdateWithoutAVersionOfACustomResourceOnly() {
        String name = ServerUnderTest.freshName("n");
        api.post(NRTS, nrt(name, "\"zones\":[]"));
        String configMaps = pods.replace("/pods", "/configmaps");
        api.post(configMaps, "{\"metadata\":{\"name\":\"c\"}}");

        assertThat(api.put(NRTS + "/" + name, nrt(name, "\"zones\":[]")).message())
                .isEqualTo("noderesourcetopologies.topology.node.k8s.io \"" + name
                        + "\" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update");
        assertThat(api.put(configMaps + "/c", "{\"metadata\":{\"name\":\"c\"},\"data\":{\"k\":\"v\"}}")
                        .code())
                .isEqualTo(200);
    }

    @Test
    void refusesAnUpdateOfAnotherObjectOfTheName() {
        String configMaps = pods.replace("/pods", "/configmaps");
        Reply created = api.post(configMaps, "{\"metadata\":{\"name\":\"c\"}}");

        Reply other =
                api.put(configMaps + "/c", "{\"metadata\":{\"name\":\"c\",\"uid\":\"1-2-3\"},\"data\":{\"k\":\"v\"}}");

        assertThat(other.code()).isEqualTo(409);
        assertThat(other.message())
                .startsWith("Operation cannot be fulfilled on configmaps \"c\": StorageError: invalid object, Code: 4")
                .endsWith("Precondition failed: UID in precondition: 1-2-3, UID in object meta: " + created.uid());
    }

    @Test
    void storesNothingWhenAnUpdateChangesNothing() {
        Reply created = api.post(pods, pod("p", ""));

        Reply same = api.put(pods + "/p", created.body().toString());

        assertThat(same.code()).isEqualTo(200);
        assertThat(same.resourceVersion()).isEqualTo(created.resourceVersion());
    }

    @Test
    void keepsStatusAndSpecApart() {
        api.post(pods, pod("p", ""));

        Reply main = api.patch(pods + "/p", ApiCalls.MERGE, "{\"status\":{\"phase\":\"Failed\"}}");
        Reply status = api.patch(
                pods + "/p/status",
                ApiCalls.MERGE,
                "{\"metadata\":{\"annotations\":{\"a\":\"b\"}},\"spec\":{\"schedulerName\":\"x\"},\"status\":{\"phase\":\"Running\"}}");

        assertThat(main.at("/status/phase").asText()).isEqualTo("Pending");
        assertThat(status.at("/status/phase").asText()).isEqualTo("Running");
        assertThat(status.at("/spec/schedulerName").asText()).isEqualTo("default-scheduler");
        assertThat(status.at("/metadata/annotations/a").asText()).isEqualTo("b");
        assertThat(status.at("/metadata/generation").asLong()).isEqualTo(1);
    }

    @Test
    void keepsTheSpecOfAPod() {
        api.post(pods, pod("p", ""));

        Reply changed = api.patch(pods + "/p", ApiCalls.MERGE, "{\"spec\":{\"hostNetwork\":true}}");

        assertThat(changed.code()).isEqualTo(422);
        assertThat(changed.reason()).isEqualTo("Invalid");
        assertThat(changed.message())
                .startsWith("Pod \"p\" is invalid: spec: Forbidden: pod updates may not change fields other than");
    }

    @Test
    void refusesInvalidNames() {
        assertThat(api.post(pods, pod("Upper_Case", "")).message())
                .startsWith("Pod \"Upper_Case\" is invalid: metadata.name: Invalid value: \"Upper_Case\":"
                        + " a lowercase RFC 1123 subdomain must consist of");
        assertThat(api.post(pods, "{\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}")
                        .message())
                .contains("metadata.name: Required value: name or generateName is required");
        assertThat(api.put(pods + "/p", pod("q", "")).message())
                .isEqualTo("the name of the object (q) does not match the name on the URL (p)");
    }

    @Test
    void generatesAName() {
        Reply created = api.post(
                pods,
                "{\"metadata\":{\"generateName\":\"gen-\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}");

        assertThat(created.code()).isEqualTo(201);
        assertThat(created.at("/metadata/name").asText()).matches("gen-[a-z0-9]{5}");
    }

    @Test
    void refusesMalformedBodies() {
        assertThat(api.post(pods, "{\"metadata\":{").code()).isEqualTo(400);
        assertThat(api.post(pods, "{\"metadata\":{").reason()).isEqualTo("BadRequest");
        assertThat(api.send("POST", pods, "text/plain", pod("p", "")).code()).isEqualTo(415);
        assertThat(api.post(pods, "{\"metadata\":{\"name\":\"p\",\"labels\":{\"a\":1}}}")
                        .code())
                .isEqualTo(400);
        assertThat(api.put(pods, "{}").code()).isEqualTo(405);
        assertThat(api.put(pods, "{}").message())
                .isEqualTo("the server does not allow this method on the requested resource");
    }

    @Test
    void storesNothingInADryRun() {
        Reply tried = api.post(pods + "?dryRun=All", pod("p", ""));

        assertThat(tried.code()).isEqualTo(201);
        assertThat(api.get(pods + "/p").code()).isEqualTo(404);
    }

    @Test
    void readsYaml() {
        Reply created = api.send(
                "POST",
                pods.replace("/pods", "/configmaps"),
                "application/yaml",
                "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: read}\ndata: {k: v}\n");

        assertThat(created.code()).isEqualTo(201);
        assertThat(created.at("/data/k").asText()).isEqualTo("v");
    }
}
