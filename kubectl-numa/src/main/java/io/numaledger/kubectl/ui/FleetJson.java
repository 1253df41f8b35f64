package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.placement.Amounts;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Nodes as the fleet view reads them, small for thousands of nodes: texts that many nodes have stand once, and amounts are numbers in the
 * unit of {@link Amounts}, in the order of {@code resources}, which some zone has; null where a zone has none of the resource.
 *
 * <pre>
 * {"resources": ["cpu", "memory"], "labels": ["pool=a"],
 *  "nodes": [{"node": "n", "status": "Ready", "policy": "restricted", "scope": "pod", "confidence": "exact", "pods": 3, "labels": [0],
 *             "problems": ["…"], "zones": [{"zone": "node-0", "free": [4000, null], "later": [4000, null], "all": [8000, null]}]}]}
 * </pre>
 *
 * A zone with resources of which one container gets less than what is free has {@code "largest": [2000, null]}, too.
 */
final class FleetJson {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** A label that each node has with another value. */
    private static final String HOSTNAME = "kubernetes.io/hostname";

    private final List<String> resources;
    private final Map<String, Integer> labels = new LinkedHashMap<>();

    private FleetJson(List<String> resources) {
        this.resources = resources;
    }

    static ObjectNode of(ShownCluster.Nodes nodes) {
        TreeSet<String> resources = new TreeSet<>();
        nodes.statuses()
                .forEach(node -> node.path("zones")
                        .forEach(zone -> zone.path("allocatable").properties().forEach(amount -> {
                            if (!amount.getValue().asText().equals("0")) {
                                resources.add(amount.getKey());
                            }
                        })));
        FleetJson fleet = new FleetJson(List.copyOf(resources));
        ArrayNode rows = JSON.createArrayNode();
        nodes.statuses()
                .forEach(node -> rows.add(fleet.node(
                        node, nodes.labels().getOrDefault(node.path("node").asText(), Collections.emptySortedMap()))));
        ObjectNode json = JSON.createObjectNode();
        resources.forEach(json.putArray("resources")::add);
        fleet.labels.keySet().forEach(json.putArray("labels")::add);
        json.set("nodes", rows);
        return json;
    }

    private ObjectNode node(JsonNode node, Map<String, String> labelled) {
        ObjectNode json = JSON.createObjectNode();
        json.put("node", node.path("node").asText())
                .put("status", NodeJson.status(node))
                .put("policy", node.path("topologyManagerPolicy").asText(""))
                .put("scope", node.path("topologyManagerScope").asText(""))
                .put("confidence", node.path("confidence").asText())
                .put(
                        "pods",
                        node.path("pods").size() + node.at("/otherPods/count").asInt());
        ArrayNode indices = json.putArray("labels");
        new TreeMap<>(labelled).forEach((key, value) -> {
            if (!key.equals(HOSTNAME)) {
                indices.add((int) labels.computeIfAbsent(key + "=" + value, each -> labels.size()));
            }
        });
        ArrayNode problems = json.putArray("problems");
        node.path("warnings").forEach(problems::add);
        if (node.has("slowAdmission")) {
            problems.add(node.path("slowAdmission"));
        }
        if (node.path("zones").isEmpty()) {
            problems.add(node.path("confidenceReason"));
        }
        ArrayNode zones = json.putArray("zones");
        node.path("zones").forEach(zone -> {
            ObjectNode row = zones.addObject().put("zone", zone.path("zone").asText());
            amounts(zone.path("free"), row.putArray("free"));
            amounts(zone.path("freeAfterReleases"), row.putArray("later"));
            amounts(zone.path("allocatable"), row.putArray("all"));
            if (zone.has("largestRequest")) {
                amounts(zone.path("largestRequest"), row.putArray("largest"));
            }
        });
        return json;
    }

    private void amounts(JsonNode texts, ArrayNode numbers) {
        for (String resource : resources) {
            if (texts.has(resource)) {
                numbers.add(Amounts.amount(resource, texts.path(resource).asText()));
            } else {
                numbers.addNull();
            }
        }
    }
}
