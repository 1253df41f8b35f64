package io.numaledger.apiservers.fake;

import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import static io.numaledger.apiservers.fake.SampleObjects.NRTS;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.podOn;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class ListTest {

    @Parameter
    ServerUnderTest server;

    private ApiCalls api;
    private String pods;

    @BeforeEach
    void podsOfOurOwn() {
        api = server.api();
        pods = pods(server.freshNamespace());
        api.post(pods, pod("b", "\"app\":\"x\",\"tier\":\"front\""));
        api.post(pods, pod("a", "\"app\":\"y\""));
        api.post(pods, pod("c", ""));
    }

    @Test
    void listsInTheOrderOfNames() {
        Reply list = api.get(pods);

        assertThat(list.at("/kind").asText()).isEqualTo("PodList");
        assertThat(names(list)).containsExactly("a", "b", "c");
        assertThat(list.at("/items/0").has("kind")).isFalse();
        assertThat(Long.parseLong(list.resourceVersion())).isPositive();
    }

    @Test
    void selectsByLabels() {
        assertThat(byLabels("app=x")).containsExactly("b");
        assertThat(byLabels("app==x")).containsExactly("b");
        assertThat(byLabels("app!=x")).containsExactly("a", "c");
        assertThat(byLabels("app in (x, y)")).containsExactly("a", "b");
        assertThat(byLabels("app notin (x)")).containsExactly("a", "c");
        assertThat(byLabels("app")).containsExactly("a", "b");
        assertThat(byLabels("!app")).containsExactly("c");
        assertThat(byLabels("app,tier notin (back)")).containsExactly("a", "b");
        assertThat(byLabels("app=x,tier=front")).containsExactly("b");
        assertThat(byLabels("app=x,tier=back")).isEmpty();
    }

    @Test
    void refusesInvalidLabelSelectors() {
        assertThat(api.get(pods + "?labelSelector=a%20in%20b").message())
                .isEqualTo("unable to parse requirement: found 'b' expected: '('");
        assertThat(api.get(pods + "?labelSelector=-a=b").message())
                .startsWith("unable to parse requirement: <nil>: Invalid value: \"-a\": name part must consist of");
        assertThat(api.get(pods + "?labelSelector=a%20b").code()).isEqualTo(400);
        assertThat(api.get(pods + "?labelSelector=a=b,").code()).isEqualTo(400);
    }

    @Test
    void selectsByFields() {
        String node = ServerUnderTest.freshName("node");
        api.post(pods, podOn("d", node));
        api.patch(pods + "/d/status", ApiCalls.MERGE, "{\"status\":{\"phase\":\"Running\"}}");

        assertThat(names(api.get("/api/v1/pods?fieldSelector=spec.nodeName=" + node)))
                .containsExactly("d");
        assertThat(byFields("metadata.name=b")).containsExactly("b");
        assertThat(byFields("spec.nodeName=")).containsExactly("a", "b", "c");
        assertThat(byFields("status.phase!=Pending")).containsExactly("d");
        assertThat(byFields("spec.nodeName=" + node + ",status.phase=Running")).containsExactly("d");
        assertThat(api.get(pods + "?fieldSelector=spec.x=1").message()).isEqualTo("field label not supported: spec.x");
        assertThat(api.get(NRTS + "?fieldSelector=spec.x=1").code()).isEqualTo(400);
        assertThat(api.get(NRTS + "?fieldSelector=metadata.name=none").at("/items"))
                .isEmpty();
    }

    @Test
    void listsInPages() {
        Reply first = api.get(pods + "?limit=2");
        api.post(pods, pod("bb", ""));
        Reply second = api.get(
                pods + "?limit=2&continue=" + first.at("/metadata/continue").asText());

        assertThat(names(first)).containsExactly("a", "b");
        assertThat(first.at("/metadata/remainingItemCount").asLong()).isEqualTo(1);
        assertThat(names(second)).containsExactly("c");
        assertThat(second.at("/metadata/continue").asText()).isEmpty();
        assertThat(second.resourceVersion()).isEqualTo(first.resourceVersion());
    }

    /** The cache of a real one is a moment behind. */
    @Test
    void ignoresTheLimitAtVersionZero() {
        await().atMost(Duration.ofMinutes(3))
                .untilAsserted(() -> assertThat(names(api.get(pods + "?limit=2&resourceVersion=0")))
                        .containsExactly("a", "b", "c"));
    }

    @Test
    void listsAnExactVersion() {
        Reply list = api.get(pods);
        api.delete(pods + "/a");

        String exact = pods + "?resourceVersionMatch=Exact&limit=500&resourceVersion=" + list.resourceVersion();

        assertThat(names(api.get(exact))).containsExactly("a", "b", "c");
    }

    @Test
    void refusesInvalidNumbers() {
        assertThat(api.get(pods + "?limit=x").message()).isEqualTo("strconv.ParseInt: parsing \"x\": invalid syntax");
        assertThat(api.get(pods + "?resourceVersion=abc").message())
                .isEqualTo(
                        "invalid resource version: resourceVersion: Invalid value: \"abc\": strconv.ParseUint: parsing \"abc\":"
                                + " invalid syntax");
        assertThat(api.get(pods + "?continue=x").code()).isEqualTo(400);
        assertThat(api.get(pods + "?resourceVersionMatch=Exact").message())
                .isEqualTo(
                        "ListOptions.meta.k8s.io \"\" is invalid: resourceVersionMatch: Forbidden: resourceVersionMatch is"
                                + " forbidden unless resourceVersion is provided");
    }

    @Test
    void refusesAFutureVersion() {
        Reply refused = api.get(pods + "?resourceVersion=99999999");

        assertThat(refused.code()).isEqualTo(504);
        assertThat(refused.reason()).isEqualTo("Timeout");
        assertThat(refused.message()).startsWith("Timeout: Too large resource version: 99999999, current: ");
    }

    private List<String> byLabels(String selector) {
        return names(api.get(pods + "?labelSelector=" + URLEncoder.encode(selector, StandardCharsets.UTF_8)));
    }

    private List<String> byFields(String selector) {
        return names(api.get(pods + "?fieldSelector=" + URLEncoder.encode(selector, StandardCharsets.UTF_8)));
    }

    private static List<String> names(Reply list) {
        List<String> names = new ArrayList<>();
        list.at("/items").forEach(each -> names.add(each.at("/metadata/name").asText()));
        return names;
    }
}
