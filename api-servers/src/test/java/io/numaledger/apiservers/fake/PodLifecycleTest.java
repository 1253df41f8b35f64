package io.numaledger.apiservers.fake;

import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static io.numaledger.apiservers.fake.ApiCalls.MERGE;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.podOn;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static org.assertj.core.api.Assertions.assertThat;

@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class PodLifecycleTest {

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
    void bindsAPodOnce() {
        api.post(pods, pod("p", ""));

        Reply bound = bind("p", "n1", "");
        Reply again = bind("p", "n2", "");
        Reply found = api.get(pods + "/p");

        assertThat(bound.code()).isEqualTo(201);
        assertThat(bound.at("/status").asText()).isEqualTo("Success");
        assertThat(again.code()).isEqualTo(409);
        assertThat(again.message())
                .isEqualTo(
                        "Operation cannot be fulfilled on pods/binding \"p\": pod p is already assigned to node \"n1\"");
        assertThat(found.at("/spec/nodeName").asText()).isEqualTo("n1");
        assertThat(found.at("/status/conditions/0/type").asText()).isEqualTo("PodScheduled");
        assertThat(found.at("/status/conditions/0/status").asText()).isEqualTo("True");
        assertThat(found.at("/metadata/generation").asLong()).isEqualTo(1);
    }

    @Test
    void bindsOnlyThePodWithTheGivenUid() {
        Reply created = api.post(pods, pod("p", ""));

        Reply other = bind("p", "n1", "\"uid\":\"1-2-3\",");
        Reply meant = bind("p", "n1", "\"uid\":\"" + created.uid() + "\",\"annotations\":{\"a\":\"1\"},");

        assertThat(other.code()).isEqualTo(409);
        assertThat(other.message())
                .contains("Precondition failed: UID in precondition: 1-2-3, UID in object meta: " + created.uid());
        assertThat(meant.code()).isEqualTo(201);
        assertThat(api.get(pods + "/p").at("/metadata/annotations/a").asText()).isEqualTo("1");
        assertThat(bind("none", "n1", "").message()).isEqualTo("pods \"none\" not found");
    }

    @Test
    void aPodOnANodeStaysUntilItsKubeletDeletesIt() {
        api.post(pods, podOn("p", "n1"));

        Reply marked = api.delete(pods + "/p");
        Reply again = api.delete(pods + "/p");
        Reply shortened = api.delete(pods + "/p?gracePeriodSeconds=5");
        Reply gone = api.delete(pods + "/p", "{\"gracePeriodSeconds\":0}");

        assertThat(marked.code()).isEqualTo(200);
        assertThat(marked.at("/metadata/deletionGracePeriodSeconds").asLong()).isEqualTo(30);
        assertThat(marked.at("/metadata").has("deletionTimestamp")).isTrue();
        assertThat(marked.at("/metadata/generation").asLong()).isEqualTo(2);
        assertThat(again.resourceVersion()).isEqualTo(marked.resourceVersion());
        assertThat(shortened.at("/metadata/deletionGracePeriodSeconds").asLong())
                .isEqualTo(5);
        assertThat(gone.at("/kind").asText()).isEqualTo("Pod");
        assertThat(api.get(pods + "/p").code()).isEqualTo(404);
    }

    @Test
    void removesUnboundAndFinishedPodsAtOnce() {
        api.post(pods, pod("unbound", ""));
        api.post(pods, podOn("ended", "n1"));
        api.patch(pods + "/ended/status", MERGE, "{\"status\":{\"phase\":\"Succeeded\"}}");

        assertThat(api.delete(pods + "/unbound").code()).isEqualTo(200);
        assertThat(api.delete(pods + "/ended").code()).isEqualTo(200);

        assertThat(api.get(pods).at("/items")).isEmpty();
    }

    @Test
    void deletesOnlyThePodWithTheGivenUid() {
        Reply created = api.post(pods, pod("p", ""));

        Reply other = api.delete(pods + "/p", "{\"preconditions\":{\"uid\":\"1-2\"}}");
        Reply older = api.delete(pods + "/p", "{\"preconditions\":{\"resourceVersion\":\"1\"}}");
        Reply meant = api.delete(pods + "/p", "{\"preconditions\":{\"uid\":\"%s\"}}".formatted(created.uid()));

        assertThat(other.code()).isEqualTo(409);
        assertThat(other.message())
                .isEqualTo(
                        "Operation cannot be fulfilled on Pod \"p\": the UID in the precondition (1-2) does not match the UID in"
                                + " record (" + created.uid()
                                + "). The object might have been deleted and then recreated");
        assertThat(older.message())
                .startsWith(
                        "Operation cannot be fulfilled on Pod \"p\": the ResourceVersion in the precondition (1) does not match");
        assertThat(meant.code()).isEqualTo(200);
    }

    @Test
    void removesAPodWithItsLastFinalizer() {
        api.post(pods, pod("p", "").replace("\"labels\"", "\"finalizers\":[\"example.org/hold\"],\"labels\""));

        api.delete(pods + "/p?gracePeriodSeconds=0");
        Reply held = api.get(pods + "/p");
        api.patch(pods + "/p", MERGE, "{\"metadata\":{\"finalizers\":null}}");

        assertThat(held.at("/metadata").has("deletionTimestamp")).isTrue();
        assertThat(api.get(pods + "/p").code()).isEqualTo(404);
    }

    @Test
    void evictsAPod() {
        api.post(pods, podOn("p", "n1"));

        Reply evicted = api.post(
                pods + "/p/eviction",
                "{\"apiVersion\":\"policy/v1\",\"kind\":\"Eviction\",\"metadata\":{\"name\":\"p\"}}");

        assertThat(evicted.code()).isEqualTo(201);
        assertThat(evicted.at("/status").asText()).isEqualTo("Success");
        assertThat(api.get(pods + "/p").at("/metadata").has("deletionTimestamp"))
                .isTrue();
    }

    @Test
    void deletesACollection() {
        api.post(pods, pod("a", "\"app\":\"x\""));
        api.post(pods, pod("b", "\"app\":\"y\""));

        Reply deleted = api.delete(pods + "?labelSelector=app=x");

        assertThat(deleted.code()).isEqualTo(200);
        assertThat(deleted.at("/items")).hasSize(1);
        assertThat(api.get(pods).at("/items")).hasSize(1);
        assertThat(api.get(pods + "/b").code()).isEqualTo(200);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no resources                 | {}                                                             |                                       | BestEffort
            limits alone                 | {"limits":{"cpu":"2","memory":"1Gi"}}                          |                                       | Guaranteed
            a CPU request alone          | {"requests":{"cpu":"2"}}                                       |                                       | Burstable
            a request below its limit    | {"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":"1"}}   |                                       | Burstable
            a device alone               | {"limits":{"example.org/gpu":"1"}}                             |                                       | BestEffort
            amounts of zero              | {"limits":{"cpu":"0","memory":"0"}}                            |                                       | BestEffort
            equal amounts in other units | {"limits":{"cpu":"2","memory":"1Gi"},"requests":{"cpu":2000e-3,"memory":"1024Mi"}} |                   | Guaranteed
            pod-level limits alone       | {}                                                             | {"limits":{"cpu":"2","memory":"1Gi"}} | Guaranteed
            pod-level CPU alone          | {"requests":{"memory":"1Gi"}}                                  | {"limits":{"cpu":"2"}}                | Burstable
            """)
    void setsTheQosClass(String situation, String container, String pod, String expected) {
        Reply created = api.post(pods, """
                {"metadata":{"name":"p"},"spec":{%s"containers":[{"name":"c","image":"i","resources":%s}]}}""".formatted(pod == null ? "" : "\"resources\":" + pod + ",", container));

        assertThat(created.at("/status/qosClass").asText())
                .as(created.body().toString())
                .isEqualTo(expected);
    }

    @Test
    void refusesAnInvalidQuantity() {
        Reply refused = api.post(pods, """
                {"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"i","resources":{"requests":{"cpu":"two"}}}]}}""");

        assertThat(refused.code()).isEqualTo(400);
        assertThat(refused.message())
                .isEqualTo(
                        "Pod in version \"v1\" cannot be handled as a Pod: quantities must match the regular expression"
                                + " '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    }

    private Reply bind(String pod, String node, String metadata) {
        return api.post(pods + "/" + pod + "/binding", """
                {"apiVersion":"v1","kind":"Binding","metadata":{%s"name":"%s"},"target":{"kind":"Node","name":"%s"}}""".formatted(metadata, pod, node));
    }
}
