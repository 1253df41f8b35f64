package io.numaledger.bridge.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.resource.Quantity;
import io.numaledger.text.ControlCharacters;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** NumaNodes as the table that kubectl prints: what is free in each zone, in the order of the zones. */
public final class NumaNodeTable {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";

    private NumaNodeTable() {}

    /** @param nodes as {@link NodeJson} writes them */
    public static ObjectNode of(List<? extends JsonNode> nodes) {
        ObjectNode table = JSON.createObjectNode().put("kind", "Table").put("apiVersion", "meta.k8s.io/v1");
        table.putObject("metadata");
        ArrayNode columns = table.putArray("columnDefinitions");
        column(columns, "Name", 0, "name", "Name of the node.");
        column(columns, "Status", 0, "", "Whether the node is ready, and takes new pods.");
        column(columns, "Policy", 0, "", "Policy of the kubelet's Topology Manager.");
        column(columns, "Free CPU", 0, "", "CPUs that can be allocated exclusively, zone by zone.");
        column(columns, "Free Memory", 0, "", "Memory, zone by zone.");
        column(columns, "Free Devices", 0, "", "Devices, zone by zone.");
        boolean dra = nodes.stream().anyMatch(node -> node.has("draDevices"));
        if (dra) {
            column(columns, "Free DRA Devices", 0, "", "Devices of ResourceSlices that no claim holds, zone by zone.");
        }
        column(columns, "Confidence", 0, "", "How the amounts are known: exact, predicted or aggregate.");
        column(columns, "Scope", 1, "", "Scope of the kubelet's Topology Manager.");
        column(columns, "Pods", 1, "", "How many pods hold something.");
        column(columns, "Zones", 1, "", "Names of the zones.");
        column(columns, "Reason", 1, "", "What limits the confidence.");
        ArrayNode rows = table.putArray("rows");
        nodes.forEach(node -> {
            ObjectNode row = rows.addObject();
            ArrayNode cells = row.putArray("cells");
            cells(node, dra).forEach(cell -> cells.add(ControlCharacters.escaped(cell)));
            ObjectNode object =
                    row.putObject("object").put("kind", "PartialObjectMetadata").put("apiVersion", "meta.k8s.io/v1");
            object.putObject("metadata").put("name", node.path("node").asText());
        });
        return table;
    }

    private static void column(ArrayNode columns, String name, int priority, String format, String description) {
        columns.addObject()
                .put("name", name)
                .put("type", "string")
                .put("format", format)
                .put("description", description)
                .put("priority", priority);
    }

    /** @param dra whether there is a column for devices of Dynamic Resource Allocation */
    private static List<String> cells(JsonNode status, boolean dra) {
        List<String> cells = new ArrayList<>();
        cells.add(status.path("node").asText());
        cells.add(NodeJson.status(status));
        cells.add(status.path("topologyManagerPolicy").asText("<unknown>"));
        cells.add(free(status, CPU));
        cells.add(free(status, MEMORY));
        TreeSet<String> devices = new TreeSet<>();
        status.path("zones")
                .forEach(zone -> zone.path("allocatable").fieldNames().forEachRemaining(devices::add));
        devices.removeIf(
                resource -> resource.equals(CPU) || resource.equals(MEMORY) || resource.startsWith("hugepages-"));
        List<String> texts = devices.stream()
                .map(resource -> resource + " " + free(status, resource))
                .toList();
        cells.add(texts.isEmpty() ? "<none>" : String.join("; ", texts));
        if (dra) {
            cells.add(DevicesText.free(status));
        }
        cells.add(status.path("confidence").asText());
        cells.add(status.path("topologyManagerScope").asText("<unknown>"));
        cells.add(String.valueOf(
                status.path("pods").size() + status.at("/otherPods/count").asInt()));
        List<String> zones = new ArrayList<>();
        status.path("zones").forEach(zone -> zones.add(zone.path("zone").asText()));
        cells.add(zones.isEmpty() ? "<none>" : String.join(",", zones));
        cells.add(status.path("confidenceReason").asText());
        return cells;
    }

    private static String free(JsonNode status, String resource) {
        List<String> byZone = new ArrayList<>();
        status.path("zones").forEach(zone -> {
            String amount = zone.path("free").path(resource).asText("");
            byZone.add(amount.isEmpty() ? "-" : Quantity.readable(resource, amount));
        });
        return byZone.isEmpty() ? "<unknown>" : String.join(",", byZone);
    }
}
