package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.resource.Quantity;
import io.numaledger.resource.ResourceKind;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What pods hold of a zone.
 *
 * @param zone its name; {@code -} for a node without zones
 * @param uses by resource
 */
record ZoneUse(String node, String zone, SortedMap<String, Use> uses) {

    private static final ObjectMapper JSON = new ObjectMapper();

    ZoneUse {
        uses = Collections.unmodifiableSortedMap(new TreeMap<>(uses));
    }

    /** How much of one resource is held and allocatable, in thousandths. */
    record Use(long held, long allocatable) {

        long percent() {
            return allocatable == 0 ? 0 : Math.round(100.0 * held / allocatable);
        }
    }

    /** @param node as {@link io.numaledger.apiobjects.view.NodeJson} writes it */
    static List<ZoneUse> of(JsonNode node) {
        String name = node.path("node").asText();
        List<ZoneUse> zones = new ArrayList<>();
        node.path("zones")
                .forEach(zone -> zones.add(new ZoneUse(name, zone.path("zone").asText(), uses(zone))));
        return zones.isEmpty() ? List.of(new ZoneUse(name, "-", new TreeMap<>())) : zones;
    }

    private static SortedMap<String, Use> uses(JsonNode zone) {
        SortedMap<String, Use> uses = new TreeMap<>();
        zone.path("allocatable").properties().forEach(each -> {
            long allocatable = Quantity.milli(each.getValue().asText());
            long free = Quantity.milli(zone.path("free").path(each.getKey()).asText("0"));
            if (allocatable > 0) {
                uses.put(each.getKey(), new Use(allocatable - free, allocatable));
            }
        });
        return uses;
    }

    /** Share of the most used resource of this kind, in percent; 0 if there is none. */
    long percent(ResourceKind kind) {
        return uses.entrySet().stream()
                .filter(each -> ResourceKind.of(each.getKey()) == kind)
                .mapToLong(each -> each.getValue().percent())
                .max()
                .orElse(0);
    }

    JsonNode json() {
        ObjectNode json = JSON.createObjectNode().put("node", node).put("zone", zone);
        ObjectNode held = json.putObject("held");
        ObjectNode allocatable = json.putObject("allocatable");
        uses.forEach((resource, use) -> {
            held.put(resource, Quantity.ofMilli(use.held()));
            allocatable.put(resource, Quantity.ofMilli(use.allocatable()));
        });
        return json;
    }
}
