package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.resource.Quantity;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;

/** NumaNodes as the table that kubectl prints: what is free in each zone, in the order of the zones. */
public final class NumaNodeTable {

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";

    private NumaNodeTable() {}

    /** @param nodes as {@link NodeJson} writes them */
    public static ObjectNode of(List<? extends JsonNode> nodes) {
        ApiTable table = new ApiTable();
        table.nameColumn("Name", "Name of the node.");
        table.column("Status", 0, "Whether the node is ready, and takes new pods.");
        table.column("Policy", 0, "Policy of the kubelet's Topology Manager.");
        table.column("Free CPU", 0, "CPUs that can be allocated exclusively, zone by zone.");
        table.column("Free Memory", 0, "Memory, zone by zone.");
        table.column("Free Devices", 0, "Devices, zone by zone.");
        boolean dra = nodes.stream().anyMatch(node -> node.has("draDevices"));
        if (dra) {
            table.column("Free DRA Devices", 0, "Devices of ResourceSlices that no claim holds, zone by zone.");
        }
        table.column("Confidence", 0, "How the amounts are known: exact, predicted or aggregate.");
        table.column("Scope", 1, "Scope of the kubelet's Topology Manager.");
        table.column("Pods", 1, "How many pods hold something.");
        table.column("Zones", 1, "Names of the zones.");
        table.column("Reason", 1, "What limits the confidence.");
        nodes.forEach(node -> table.row(node.path("node").asText(), cells(node, dra)));
        return table.json();
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
