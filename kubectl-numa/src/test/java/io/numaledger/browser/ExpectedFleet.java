package io.numaledger.browser;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import io.numaledger.bridge.view.NodeJson;
import io.numaledger.resource.Quantity;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * What the page is to show of nodes.
 *
 * @param nodes as the API answers them
 * @param all how many nodes there are beside those
 */
public record ExpectedFleet(List<JsonNode> nodes, int all) {

    private static final ObjectMapper JSON = new ObjectMapper();

    public ExpectedFleet(List<JsonNode> nodes) {
        this(nodes, nodes.size());
    }

    /** The sentence above the picture, for a resource that is counted. */
    public String summary(String resource) {
        return String.format(
                Locale.ROOT,
                "%,d of %,d nodes; %s: %,d of %,d free, at most %d in one zone",
                nodes.size(),
                all,
                resource,
                amounts("free", resource).sum(),
                amounts("allocatable", resource).sum(),
                amounts("free", resource).max().orElse(0));
    }

    private LongStream amounts(String amounts, String resource) {
        return nodes.stream().flatMap(ExpectedFleet::zones).mapToLong(zone -> amount(zone, amounts, resource));
    }

    private static Stream<JsonNode> zones(JsonNode node) {
        return StreamSupport.stream(node.path("zones").spliterator(), false);
    }

    private static long amount(JsonNode zone, String amounts, String resource) {
        return Quantity.whole(zone.path(amounts).path(resource).asText("0"));
    }

    /** The rows of the table, for a resource that all zones have. */
    public List<String> rows(String resource) {
        return nodes.stream()
                .flatMap(node -> zones(node).map(zone -> row(node, zone, resource)))
                .toList();
    }

    private static String row(JsonNode node, JsonNode zone, String resource) {
        Stream<String> amounts = Stream.of("free", "freeAfterReleases", "allocatable")
                .map(each -> zone.path(each).path(resource).asText());
        String problems = Stream.concat(
                        StreamSupport.stream(node.path("warnings").spliterator(), false),
                        Stream.of(node.path("slowAdmission")))
                .map(JsonNode::asText)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining("; "));
        return Stream.of(
                        Stream.of(node.path("node").asText(), zone.path("zone").asText()),
                        amounts,
                        Stream.of(
                                NodeJson.status(node),
                                node.path("topologyManagerPolicy").asText(),
                                node.path("confidence").asText(),
                                problems))
                .flatMap(texts -> texts)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(" "));
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
