package io.numaledger.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.numaledger.apiobjects.view.NodeJson;
import io.numaledger.resource.Quantity;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What the page is to show of nodes.
 *
 * @param nodes as the API answers them
 * @param all how many nodes there are beside those
 */
public record ExpectedFleet(List<JsonNode> nodes, int all) {

    /** Those of the table that {@link #rows} has. */
    public static final List<String> COLUMNS = List.of(
            "Node", "Zone", "Free", "After releases", "Allocatable", "Status", "Policy", "Confidence", "Problems");

    private static final ObjectMapper JSON = new ObjectMapper();

    public ExpectedFleet(List<JsonNode> nodes) {
        this(nodes, nodes.size());
    }

    /** The sentence above the picture, for a resource that is counted. */
    public String summary(String resource) {
        List<JsonNode> open = nodes.stream().filter(ExpectedFleet::takesPods).toList();
        List<JsonNode> closed = nodes.stream().filter(node -> !takesPods(node)).toList();
        String sentence = String.format(
                Locale.ROOT,
                "%,d of %,d nodes; %s: %,d of %,d free, at most %d in one zone",
                nodes.size(),
                all,
                resource,
                sum(open, "free", resource),
                sum(nodes, "allocatable", resource),
                open.stream()
                        .flatMap(ExpectedFleet::zones)
                        .mapToLong(zone -> largest(zone, resource))
                        .max()
                        .orElse(0));
        long withSome = closed.stream()
                .filter(node -> sum(List.of(node), "free", resource) > 0)
                .count();
        return withSome == 0
                ? sentence
                : String.format(
                        Locale.ROOT,
                        "%s; %,d more on %,d %s cordoned or not ready",
                        sentence,
                        sum(closed, "free", resource),
                        withSome,
                        withSome == 1 ? "node that is" : "nodes that are");
    }

    private static boolean takesPods(JsonNode node) {
        return node.path("ready").asBoolean(true) && !node.path("unschedulable").asBoolean();
    }

    /** The API names the largest request where it is less than what is free. */
    private static long largest(JsonNode zone, String resource) {
        String amounts = zone.path("largestRequest").has(resource) ? "largestRequest" : "free";
        return amount(zone, amounts, resource);
    }

    private static long sum(List<JsonNode> nodes, String amounts, String resource) {
        return nodes.stream()
                .flatMap(ExpectedFleet::zones)
                .mapToLong(zone -> amount(zone, amounts, resource))
                .sum();
    }

    private static Stream<JsonNode> zones(JsonNode node) {
        return StreamSupport.stream(node.path("zones").spliterator(), false);
    }

    private static long amount(JsonNode zone, String amounts, String resource) {
        return Quantity.whole(zone.path(amounts).path(resource).asText("0"));
    }

    /** The rows of the table, for a resource that all zones have, with {@link #COLUMNS}. */
    public List<List<String>> rows(String resource) {
        return nodes.stream()
                .flatMap(node -> zones(node).map(zone -> row(node, zone, resource)))
                .toList();
    }

    private static List<String> row(JsonNode node, JsonNode zone, String resource) {
        String problems = Stream.concat(
                        StreamSupport.stream(node.path("warnings").spliterator(), false),
                        Stream.of(node.path("slowAdmission")))
                .map(JsonNode::asText)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        return List.of(
                node.path("node").asText(),
                zone.path("zone").asText(),
                zone.path("free").path(resource).asText(),
                zone.path("freeAfterReleases").path(resource).asText(),
                zone.path("allocatable").path(resource).asText(),
                NodeJson.status(node),
                node.path("topologyManagerPolicy").asText(),
                node.path("confidence").asText(),
                problems);
    }

    /** {@code [["node-0", [[free, allocatable], …]], …]}: the zones of each node that have the resource. */
    String amounts(String resource) {
        ArrayNode amounts = JSON.createArrayNode();
        for (JsonNode node : nodes) {
            ArrayNode zones = amounts.addArray().add(node.path("node")).addArray();
            zones(node)
                    .filter(zone -> amount(zone, "allocatable", resource) > 0)
                    .forEach(zone -> zones.addArray()
                            .add(amount(zone, "free", resource))
                            .add(amount(zone, "allocatable", resource)));
        }
        return amounts.toString();
    }
}
