package io.numaledger.apiservers.fake;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiservers.fake.ApiCalls.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

import static io.numaledger.apiservers.fake.ApiCalls.MERGE;
import static io.numaledger.apiservers.fake.SampleObjects.pod;
import static io.numaledger.apiservers.fake.SampleObjects.podOn;
import static io.numaledger.apiservers.fake.SampleObjects.pods;
import static org.assertj.core.api.Assertions.assertThat;

@ParameterizedClass(name = "{0}")
@EnumSource(ServerUnderTest.class)
class WatchTest {

    private static final String INITIAL_EVENTS =
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true";

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
    void reportsEachChangeSinceAVersion() {
        api.post(pods, pod("early", ""));
        String version = api.get(pods).resourceVersion();
        try (WatchReader watch = api.watch(pods + "?resourceVersion=" + version)) {
            Reply created = api.post(pods, pod("p", ""));
            Reply patched = api.patch(pods + "/p", MERGE, "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}");
            api.patch(pods + "/p", MERGE, "{\"metadata\":{\"annotations\":{\"a\":\"1\"}}}");
            api.delete(pods + "/p?gracePeriodSeconds=0");

            JsonNode added = watch.next();
            JsonNode modified = watch.next();
            JsonNode marked = watch.next();
            JsonNode deleted = watch.next();

            assertThat(added.path("type").asText()).isEqualTo("ADDED");
            assertThat(added.path("object")).isEqualTo(created.body());
            assertThat(modified.path("type").asText()).isEqualTo("MODIFIED");
            assertThat(modified.path("object")).isEqualTo(patched.body());
            assertThat(marked.path("type").asText()).isEqualTo("MODIFIED");
            assertThat(marked.at("/object/metadata/deletionGracePeriodSeconds").asLong(-1))
                    .isZero();
            assertThat(deleted.path("type").asText()).isEqualTo("DELETED");
            assertThat(deleted.at("/object/metadata/annotations/a").asText()).isEqualTo("1");
            assertThat(deleted.at("/object/metadata/resourceVersion").asLong())
                    .isGreaterThan(marked.at("/object/metadata/resourceVersion").asLong());
        }
    }

    @Test
    void beginsWithAllObjectsWithoutAVersion() {
        api.post(pods, pod("b", ""));
        api.post(pods, pod("a", ""));
        try (WatchReader watch = api.watch(pods);
                WatchReader fromCache = api.watch(pods + "?resourceVersion=0")) {
            assertThat(watch.nextShort(2)).containsExactlyInAnyOrder("ADDED a", "ADDED b");
            assertThat(fromCache.nextShort(2)).containsExactlyInAnyOrder("ADDED a", "ADDED b");
            api.post(pods, pod("c", ""));
            assertThat(watch.nextShort()).isEqualTo("ADDED c");
        }
    }

    @Test
    void endsInitialEventsWithABookmark() {
        api.post(pods, pod("a", ""));
        try (WatchReader watch = api.watch(pods + "?" + INITIAL_EVENTS)) {
            assertThat(watch.nextShort()).isEqualTo("ADDED a");
            JsonNode bookmark = watch.next();
            assertThat(bookmark.path("type").asText()).isEqualTo("BOOKMARK");
            assertThat(bookmark.at("/object/metadata/annotations/k8s.io~1initial-events-end")
                            .asText())
                    .isEqualTo("true");
            assertThat(bookmark.at("/object/metadata/resourceVersion").asLong()).isPositive();
            api.post(pods, pod("b", ""));
            assertThat(watch.nextShort()).isEqualTo("ADDED b");
        }
    }

    @Test
    void addsAndDeletesObjectsThatEnterAndLeaveTheSelection() {
        String node = ServerUnderTest.freshName("node");
        String version = api.get("/api/v1/pods").resourceVersion();
        try (WatchReader byNode =
                        api.watch("/api/v1/pods?fieldSelector=spec.nodeName=" + node + "&resourceVersion=" + version);
                WatchReader byLabel = api.watch(pods + "?labelSelector=app=x&resourceVersion=" + version)) {
            api.post(pods, pod("p", "\"app\":\"x\""));
            api.post(pods + "/p/binding", "{\"metadata\":{\"name\":\"p\"},\"target\":{\"name\":\"" + node + "\"}}");
            api.patch(pods + "/p", MERGE, "{\"metadata\":{\"labels\":{\"app\":\"y\"}}}");
            api.patch(pods + "/p", MERGE, "{\"metadata\":{\"labels\":{\"app\":\"x\"}}}");
            api.delete(pods + "/p?gracePeriodSeconds=0");

            assertThat(byLabel.nextShort(6))
                    .containsExactly("ADDED p", "MODIFIED p", "DELETED p", "ADDED p", "MODIFIED p", "DELETED p");
            assertThat(byNode.nextShort(5))
                    .containsExactly("ADDED p", "MODIFIED p", "MODIFIED p", "MODIFIED p", "DELETED p");
        }
    }

    @Test
    void aPodOnAnotherNodeIsNotSeen() {
        String node = ServerUnderTest.freshName("node");
        try (WatchReader watch = api.watch("/api/v1/pods?fieldSelector=spec.nodeName=" + node + "&" + INITIAL_EVENTS)) {
            assertThat(watch.next().path("type").asText()).isEqualTo("BOOKMARK");
            api.post(pods, podOn("elsewhere", node + "-other"));
            api.post(pods, podOn("here", node));
            assertThat(watch.nextShort()).isEqualTo("ADDED here");
        }
    }

    @Test
    void endsAtItsTimeout() {
        try (WatchReader watch = api.watch(pods + "?timeoutSeconds=1")) {
            assertThat(watch.endsCleanly()).isTrue();
        }
    }

    @Test
    void refusesContradictions() {
        try (WatchReader watch = api.watch(pods + "?sendInitialEvents=true")) {
            assertThat(watch.code()).isEqualTo(422);
        }
        try (WatchReader watch = api.watch(pods + "?fieldSelector=spec.x=1")) {
            assertThat(watch.code()).isEqualTo(400);
        }
    }
}
