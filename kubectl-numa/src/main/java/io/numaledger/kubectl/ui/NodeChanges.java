package io.numaledger.kubectl.ui;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What has changed between two readings of the nodes: predictions that the observation did not meet, and what is known of a node. */
final class NodeChanges {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Set<String> PREDICTED = Set.of("reserved", "predicted", "expected");
    private static final Set<String> OBSERVED = Set.of("observed", "observed-amounts");

    private Map<String, JsonNode> last = new HashMap<>();

    /** @param nodes as {@link io.numaledger.apiobjects.view.NodeJson} writes them */
    List<ObjectNode> next(List<JsonNode> nodes) {
        List<ObjectNode> entries = new ArrayList<>();
        Map<String, JsonNode> now = new HashMap<>();
        for (JsonNode node : nodes) {
            String name = node.path("node").asText();
            now.put(name, node);
            JsonNode before = last.get(name);
            if (before != null && !before.equals(node)) {
                knowledge(name, before, node, entries);
                predictions(name, before, node, entries);
            }
        }
        last = now;
        return entries;
    }

    private static ObjectNode entry(String kind, String object, String node, String text) {
        return JSON.createObjectNode()
                .put("kind", kind)
                .put("object", object)
                .put("node", node)
                .put("text", text);
    }

    private static void knowledge(String name, JsonNode before, JsonNode node, List<ObjectNode> entries) {
        String was = before.path("confidence").asText();
        String is = node.path("confidence").asText();
        if (!was.equals(is)) {
            String reason = node.path("confidenceReason").asText();
            entries.add(entry(
                    "drift",
                    name,
                    name,
                    "confidence was %s, is %s%s".formatted(was, is, reason.isEmpty() ? "" : ": " + reason)));
        }
        Set<String> known = new HashSet<>();
        before.path("warnings").forEach(each -> known.add(each.asText()));
        node.path("warnings").forEach(each -> {
            if (known.add(each.asText())) {
                entries.add(entry("drift", name, name, each.asText()));
            }
        });
    }

    private static void predictions(String name, JsonNode before, JsonNode node, List<ObjectNode> entries) {
        Map<String, JsonNode> predicted = new HashMap<>();
        before.path("pods").forEach(pod -> {
            if (PREDICTED.contains(pod.path("source").asText())) {
                predicted.put(pod.path("pod").asText(), pod.path("placement"));
            }
        });
        node.path("pods").forEach(pod -> {
            JsonNode foreseen = predicted.get(pod.path("pod").asText());
            boolean observed = OBSERVED.contains(pod.path("source").asText());
            if (foreseen != null && observed && !foreseen.equals(pod.path("placement"))) {
                ObjectNode entry =
                        entry("prediction", pod.path("pod").asText(), name, "the kubelet placed it otherwise");
                entry.set("predicted", foreseen);
                entry.set("observed", pod.path("placement"));
                entries.add(entry);
            }
        });
    }
}
