package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.Set;

/** Our topology object with no more in it than resource-topology-exporter writes. */
final class ForeignTopology {

    private static final Set<String> ATTRIBUTES = Set.of("topologyManagerPolicy", "topologyManagerScope");

    private ForeignTopology() {}

    static JsonNode of(ObjectNode ours) {
        ArrayNode kept = ours.arrayNode();
        ours.path("attributes").forEach(attribute -> {
            if (ATTRIBUTES.contains(attribute.path("name").asText())) {
                kept.add(attribute);
            }
        });
        ours.set("attributes", kept);
        ours.path("zones").forEach(zone -> {
            ((ObjectNode) zone).remove("attributes");
            ArrayNode resources = ours.arrayNode();
            zone.path("resources").forEach(resource -> {
                if (!resource.path("allocatable").asText().equals("0")) {
                    resources.add(resource);
                }
            });
            ((ObjectNode) zone).set("resources", resources);
        });
        return ours;
    }
}
