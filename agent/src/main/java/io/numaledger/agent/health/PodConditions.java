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
 * Says on the agent's own pod how its work goes, in the conditions of the Resource Topology Exporter, so that its readiness
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

    private record Said(boolean fetched, boolean updated) {}

    public PodConditions(ApiServer api, String namespace, String pod, InstantSource clock) {
        this.api = api;
        this.path = "/api/v1/namespaces/%s/pods/%s/status".formatted(namespace, pod);
        this.clock = clock;
    }

    /** A pass ended like this. */
    public void passEnded(boolean fetched, boolean updated) {
        Said now = new Said(fetched, updated);
        if (said.equals(Optional.of(now))) {
            return;
        }
        try {
            api.patch(path, "application/strategic-merge-patch+json", body(now), json -> null);
            said = Optional.of(now);
            failing = false;
        } catch (IOException e) {
            if (!failing) {
                failing = true;
                log.warn("event=conditions.failed reason='{}'", e.getMessage());
            }
        }
    }

    private String body(Said now) throws IOException {
        String time = clock.instant().truncatedTo(ChronoUnit.SECONDS).toString();
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeObjectFieldStart("status");
            json.writeArrayFieldStart("conditions");
            write(json, "PodresourcesFetched", now.fetched(), "ScanFailed", "failed to scan pod resources", time);
            write(
                    json,
                    "NodeTopologyUpdated",
                    now.updated(),
                    "UpdateFailed",
                    "failed to update noderesourcetopology object",
                    time);
            json.writeEndArray();
            json.writeEndObject();
            json.writeEndObject();
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, String type, boolean good, String reason, String message, String time)
            throws IOException {
        json.writeStartObject();
        json.writeStringField("type", type);
        json.writeStringField("status", good ? "True" : "False");
        json.writeStringField("reason", good ? "" : reason);
        json.writeStringField("message", good ? "" : message);
        json.writeStringField("lastTransitionTime", time);
        json.writeEndObject();
    }
}
