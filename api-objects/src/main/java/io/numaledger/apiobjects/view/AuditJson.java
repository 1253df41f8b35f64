package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.recording.HeldByContainer;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.scheduling.audit.AuditEntry;
import io.numaledger.scheduling.audit.Prediction;

import java.util.List;
import java.util.Optional;

/** Audited predictions as JSON. */
public final class AuditJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    private AuditJson() {}

    /** One entry as an object of the API group. */
    public static ObjectNode of(AuditEntry entry) {
        ObjectNode object = object("PredictionAudit");
        object.putObject("metadata").put("name", entry.uid());
        object.set("status", status(entry));
        return object;
    }

    /** Several entries as a list. */
    public static ObjectNode list(List<AuditEntry> entries) {
        ObjectNode list = object("PredictionAuditList");
        list.putObject("metadata");
        ArrayNode items = list.putArray("items");
        entries.forEach(entry -> items.add(of(entry)));
        return list;
    }

    private static ObjectNode object(String kind) {
        return JSON.createObjectNode().put("apiVersion", ApiGroup.GROUP_VERSION).put("kind", kind);
    }

    private static ObjectNode status(AuditEntry entry) {
        Prediction prediction = entry.prediction();
        ObjectNode status = JSON.createObjectNode()
                .put("pod", entry.pod().key())
                .put("uid", entry.uid())
                .put("node", prediction.node())
                .put("outcome", entry.outcome().toString())
                .put("confidence", prediction.confidence().toString())
                .put("states", prediction.states())
                .put("undetermined", prediction.placement().undetermined())
                .put("predictedAt", prediction.at().toString())
                .put("observedAt", entry.at().toString());
        status.set(
                "predicted",
                placed(
                        Optional.of(prediction.placement().placement()),
                        Optional.of(prediction.placement().allocation().running())));
        status.set(
                "observed",
                placed(
                        entry.pod().records().observed().flatMap(record -> record.believed()),
                        entry.pod().records().placement().flatMap(record -> record.believed())));
        entry.pod().reason().ifPresent(reason -> status.put("reason", reason));
        entry.pod().message().ifPresent(message -> status.put("message", message));
        return status;
    }

    /** @return null for a pod that holds nothing */
    private static JsonNode placed(Optional<Placement> zones, Optional<PodAllocation> ids) {
        if (zones.isEmpty() && ids.isEmpty()) {
            return JSON.nullNode();
        }
        ObjectNode json = JSON.createObjectNode();
        zones.ifPresent(placement -> json.set("placement", ExplanationJson.placement(placement)));
        ObjectNode containers = json.putObject("containers");
        ids.ifPresent(pod -> {
            pod.containers().forEach(each -> containers.set(each.name(), HeldByContainer.of(each)));
            if (!pod.cpus().isEmpty()) {
                json.put("cpus", pod.cpus().toString());
            }
        });
        return json;
    }
}
