package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.List;

/** PredictionAudits as the table that kubectl prints. */
public final class AuditTable {

    private AuditTable() {}

    /** @param audits one, or a list, as {@link AuditJson} writes them */
    public static ObjectNode of(JsonNode audits) {
        ApiTable table = new ApiTable();
        table.nameColumn("Name", "UID of the pod.");
        table.column("Pod", 0, "Namespace and name of the pod.");
        table.column("Node", 0, "Node to which it was bound.");
        table.column("Outcome", 0, "same, or what the kubelet did otherwise than predicted.");
        table.column("Confidence", 0, "How the amounts of the node were known.");
        table.column("Observed at", 0, "When the kubelet's decision was seen.");
        Iterable<JsonNode> each = audits.has("items") ? audits.path("items") : List.of(audits);
        each.forEach(audit -> table.row(audit.at("/metadata/name").asText(), cells(audit)));
        return table.json();
    }

    private static List<String> cells(JsonNode audit) {
        JsonNode status = audit.path("status");
        return List.of(
                audit.at("/metadata/name").asText(),
                status.path("pod").asText(),
                status.path("node").asText(),
                status.path("outcome").asText(),
                status.path("confidence").asText(),
                status.path("observedAt").asText());
    }
}
