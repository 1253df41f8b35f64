package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.cli.Colours;
import io.numaledger.resource.Quantity;

import java.util.ArrayList;
import java.util.List;

/** A node for people: its policy, its confidence, what is free in each zone, and the pods. */
public final class NodeText {

    private NodeText() {}

    /** @param wide also with the assumptions as sentences */
    public static String of(JsonNode node, boolean wide, Colours colours) {
        List<String> lines = new ArrayList<>();
        lines.add("%s  %s  %s/%s  confidence: %s"
                .formatted(
                        node.path("node").asText(),
                        NodeJson.status(node),
                        node.path("topologyManagerPolicy").asText("-"),
                        node.path("topologyManagerScope").asText("-"),
                        colours.status(node.path("confidence").asText())));
        if (wide && !node.path("assumptions").isEmpty()) {
            node.path("assumptions")
                    .forEach(each -> lines.add("  %s %s: %s"
                            .formatted(
                                    each.path("code").asText(),
                                    each.path("about").asText(),
                                    each.path("text").asText())));
        } else if (!node.path("confidenceReason").asText().isEmpty()) {
            lines.add("  " + node.path("confidenceReason").asText());
        }
        node.path("warnings").forEach(each -> lines.add("  warning: " + each.asText()));
        node.path("zones")
                .forEach(zone ->
                        lines.add("  %-8s free: %s".formatted(zone.path("zone").asText(), free(zone))));
        DevicesText.lines(node).forEach(line -> lines.add("  " + line));
        node.path("pods").forEach(pod -> {
            List<String> zones = new ArrayList<>();
            pod.path("placement").forEach(zone -> zones.add(zone.path("zone").asText()));
            lines.add("  %s%s (%s%s)"
                    .formatted(
                            pod.path("pod").asText(),
                            zones.isEmpty() ? "" : " on " + String.join(", ", zones),
                            pod.path("source").asText(),
                            pod.path("terminating").asBoolean() ? ", terminating" : ""));
            if (pod.has("claims")) {
                lines.add("    claims " + DevicesText.line(pod));
            }
        });
        if (node.has("otherPods")) {
            List<String> zones = new ArrayList<>();
            node.at("/otherPods/placement")
                    .forEach(zone -> zones.add(zone.path("zone").asText()));
            lines.add("  %s pods of other namespaces on %s"
                    .formatted(node.at("/otherPods/count").asText(), String.join(", ", zones)));
        }
        return String.join(System.lineSeparator(), lines);
    }

    private static String free(JsonNode zone) {
        List<String> texts = new ArrayList<>();
        zone.path("allocatable").fieldNames().forEachRemaining(resource -> {
            if (!zone.path("allocatable").path(resource).asText().equals("0")) {
                String largest = zone.path("largestRequest").has(resource)
                        ? " (at most %s in one container)".formatted(amount(zone, "largestRequest", resource))
                        : "";
                texts.add("%s %s of %s%s"
                        .formatted(
                                resource,
                                amount(zone, "free", resource),
                                amount(zone, "allocatable", resource),
                                largest));
            }
        });
        return String.join(", ", texts);
    }

    private static String amount(JsonNode zone, String field, String resource) {
        return Quantity.readable(resource, zone.path(field).path(resource).asText());
    }
}
