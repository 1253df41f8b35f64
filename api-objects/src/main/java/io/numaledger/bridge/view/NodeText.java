package io.numaledger.bridge.view;

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
        node.path("zones").forEach(zone -> {
            List<String> free = new ArrayList<>();
            zone.path("allocatable").properties().forEach(amount -> {
                if (!amount.getValue().asText().equals("0")) {
                    String resource = amount.getKey();
                    free.add("%s %s of %s"
                            .formatted(
                                    resource,
                                    Quantity.readable(
                                            resource,
                                            zone.path("free").path(resource).asText()),
                                    Quantity.readable(
                                            resource, amount.getValue().asText())));
                }
            });
            lines.add("  %-8s free: %s".formatted(zone.path("zone").asText(), String.join(", ", free)));
        });
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
}
