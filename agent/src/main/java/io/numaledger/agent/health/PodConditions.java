package io.numaledger.agent.health;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.numaledger.agent.api.ApiServer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.io.StringWriter;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/**
 * Writes the agent's state to its own pod, in the conditions of resource-topology-exporter, so that its readiness
 * gates go on working: {@code PodresourcesFetched} and {@code NodeTopologyUpdated}. Written when one of them changes.
 */
public final class PodConditions {

    private static final Logger log = LoggerFactory.getLogger(PodConditions.class);
    private static final JsonFactory JSON = new JsonFactory();

    private final ApiServer api;
    private final String path;
    private final InstantSource clock;
    private Optional<Said> said = Optional.empty();
    private boolean failing;

    /** @param since when it became what it is */
    private record Condition(boolean good, String since) {

        Condition then(boolean goodNow, String now) {
            return good == goodNow ? this : new Condition(goodNow, now);
        }
    }

    private record Said(Condition fetched, Condition updated) {}

    public PodConditions(ApiServer api, String namespace, String pod, InstantSource clock) {
        this.api = api;
        this.path = "/api/v1/namespaces/%s/pods/%s/status".formatted(namespace, pod);
        this.clock = clock;
    }

    /** Reports the result of a reconciliation. */
    public void passEnded(boolean fetched, boolean updated) {
        String time = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        Said now = new Said(
                said.map(Said::fetched)
                        .orElseGet(() -> new Condition(fetched, time))
                        .then(fetched, time),
                said.map(Said::updated)
                        .orElseGet(() -> new Condition(updated, time))
                        .then(updated, time));
        if (said.equals(Optional.of(now))) {
            return;
        }
        try {
            api.patch(path, "application/strategic-merge-patch+json", body(now), ApiServer::ignoreBody);
            said = Optional.of(now);
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                failing = true;
                log.warn("event=conditions.failed reason='{}'", e.getMessage());
            }
        }
    }

    private static String body(Said now) throws IOException {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeObjectFieldStart("status");
            json.writeArrayFieldStart("conditions");
            write(json, "PodresourcesFetched", now.fetched(), "ScanFailed", "failed to scan pod resources");
            write(
                    json,
                    "NodeTopologyUpdated",
                    now.updated(),
                    "UpdateFailed",
                    "failed to update noderesourcetopology object");
            json.writeEndArray();
            json.writeEndObject();
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, String type, Condition condition, String reason, String message)
            throws IOException {
        boolean good = condition.good();
        json.writeStartObject();
        json.writeStringField("type", type);
        json.writeStringField("status", good ? "True" : "False");
        json.writeStringField("reason", good ? "" : reason);
        json.writeStringField("message", good ? "" : message);
        json.writeStringField("lastTransitionTime", condition.since());
        json.writeEndObject();
    }
}
