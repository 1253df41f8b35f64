package io.numaledger.agent.health;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.agent.api.ApiServer;
import io.numaledger.agent.api.RequestBudget;
import io.numaledger.apiservers.fake.EmbeddedApiServer;
import io.numaledger.apiservers.fake.fault.Fault;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** The conditions of the agent pod, which are those of the readiness gates of resource-topology-exporter. */
class PodConditionsTest {

    private static final String POD = "/api/v1/namespaces/default/pods/agent-1";

    @TempDir
    private Path directory;

    private EmbeddedApiServer server;
    private ApiServer api;
    private PodConditions conditions;
    private Instant now = Instant.parse("2026-01-01T00:00:00Z");

    @BeforeEach
    void start() throws IOException {
        server = EmbeddedApiServer.start();
        api = ApiServer.connect(
                Optional.of(server.writeKubeconfig(directory.resolve("kubeconfig"))),
                new RequestBudget(1000, 1000, System::nanoTime));
        api.post("/api/v1/namespaces/default/pods", """
                {"apiVersion":"v1","kind":"Pod","metadata":{"name":"agent-1"},
                 "spec":{"nodeName":"w","containers":[{"name":"agent","image":"none"}]}}""", json -> "");
        api.patch(
                POD + "/status",
                ApiServer.MERGE_PATCH,
                "{\"status\":{\"conditions\":[{\"type\":\"Ready\",\"status\":\"True\"}]}}",
                json -> "");
        conditions = new PodConditions(api, "default", "agent-1", () -> now);
        server.requests().clear();
    }

    @AfterEach
    void stop() {
        api.close();
        server.close();
    }

    @Test
    void saysWhatFailedBesideTheConditionsOfOthers() throws IOException {
        conditions.passEnded(true, false);
        assertThat(statuses())
                .isEqualTo(Map.of("Ready", "True", "PodresourcesFetched", "True", "NodeTopologyUpdated", "False"));
        assertThat(condition("NodeTopologyUpdated"))
                .hasToString(
                        "{\"type\":\"NodeTopologyUpdated\",\"status\":\"False\",\"reason\":\"UpdateFailed\","
                                + "\"message\":\"failed to update noderesourcetopology object\",\"lastTransitionTime\":\"2026-01-01T00:00:00Z\"}");
    }

    @Test
    void writesOnlyWhatChanged() throws IOException {
        conditions.passEnded(false, false);
        conditions.passEnded(false, false);
        assertThat(server.requests().writes()).hasSize(1);
        assertThat(condition("PodresourcesFetched").get("reason").asText()).isEqualTo("ScanFailed");
        now = now.plusSeconds(60);
        conditions.passEnded(true, false);
        conditions.passEnded(true, false);
        assertThat(server.requests().writes()).hasSize(2);
        assertThat(statuses())
                .isEqualTo(Map.of("Ready", "True", "PodresourcesFetched", "True", "NodeTopologyUpdated", "False"));
        assertThat(condition("PodresourcesFetched").get("lastTransitionTime").asText())
                .isEqualTo("2026-01-01T00:01:00Z");
        assertThat(condition("NodeTopologyUpdated").get("lastTransitionTime").asText())
                .isEqualTo("2026-01-01T00:00:00Z");
    }

    @Test
    void triesAgainAfterARefusal() throws IOException {
        server.faults().always(request -> request.path().endsWith("/status"), Fault.ErrorResponse.forbidden());
        conditions.passEnded(true, true);
        assertThat(statuses()).containsOnlyKeys("Ready");
        server.faults().clear();
        conditions.passEnded(true, true);
        assertThat(statuses()).containsKeys("PodresourcesFetched", "NodeTopologyUpdated");
    }

    private Map<String, String> statuses() throws IOException {
        Map<String, String> statuses = new TreeMap<>();
        all().forEach(condition -> statuses.put(
                condition.get("type").asText(), condition.get("status").asText()));
        return statuses;
    }

    private JsonNode condition(String type) throws IOException {
        for (JsonNode condition : all()) {
            if (condition.get("type").asText().equals(type)) {
                return condition;
            }
        }
        throw new AssertionError("no condition " + type);
    }

    private JsonNode all() throws IOException {
        return api.get(POD, new ObjectMapper()::<JsonNode>readTree).at("/status/conditions");
    }
}
