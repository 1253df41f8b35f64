package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Why a pod waits, from its explanations for all nodes: nodes with the same reason together, and those that nearly take it. */
final class WaitingReasons {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Names of nodes with the same reason. */
    private static final int MOST_NAMED = 50;

    private static final int MOST_NEAREST = 5;

    private WaitingReasons() {}

    /** @param explanations as {@link io.numaledger.apiobjects.view.ExplanationJson} writes them */
    static ObjectNode of(List<JsonNode> explanations) {
        List<JsonNode> fitting = new ArrayList<>();
        Map<String, List<JsonNode>> bySentence = new TreeMap<>();
        for (JsonNode each : explanations) {
            if (each.path("schedulable").asBoolean()) {
                fitting.add(each);
            } else {
                bySentence
                        .computeIfAbsent(sentence(each), any -> new ArrayList<>())
                        .add(each);
            }
        }
        ObjectNode json = JSON.createObjectNode().put("nodes", explanations.size());
        explanations.stream()
                .map(each -> each.at("/scheduler/text").asText())
                .filter(text -> !text.isEmpty())
                .findFirst()
                .ifPresent(text -> json.put("scheduler", text));
        names(json.putObject("fitting").put("count", fitting.size()), fitting);
        ArrayNode classes = json.putArray("classes");
        bySentence.entrySet().stream()
                .sorted(Comparator.comparing(each -> each.getValue().size(), Comparator.reverseOrder()))
                .forEach(each -> names(
                        classes.addObject()
                                .put("sentence", each.getKey())
                                .put("count", each.getValue().size()),
                        each.getValue()));
        ArrayNode nearest = json.putArray("nearest");
        explanations.stream()
                .map(NearMiss::of)
                .flatMap(Optional::stream)
                .sorted()
                .limit(MOST_NEAREST)
                .forEach(each -> nearest.add(each.json()));
        return json;
    }

    private static void names(ObjectNode json, List<JsonNode> nodes) {
        ArrayNode names = json.putArray("names");
        nodes.stream()
                .limit(MOST_NAMED)
                .forEach(each -> names.add(each.path("node").asText()));
    }

    /** What nodes with the same reason have in common. */
    private static String sentence(JsonNode explanation) {
        if (!explanation.path("fits").asBoolean()) {
            String summary = explanation.path("summary").asText();
            return summary.isEmpty() ? explanation.path("message").asText() : summary;
        }
        List<String> reasons = new ArrayList<>();
        // The amounts of each node follow.
        explanation
                .path("nodeReasons")
                .forEach(reason -> reasons.add(reason.asText().split(";", 2)[0]));
        return "the node as a whole: " + String.join(", ", reasons);
    }
}
