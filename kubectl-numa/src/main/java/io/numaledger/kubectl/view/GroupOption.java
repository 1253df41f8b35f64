package io.numaledger.kubectl.view;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.kubectl.zones.Zones.ExplainedPod;
import picocli.CommandLine.Option;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/** A group instead of pods, and its explanation as text. */
final class GroupOption {

    @Option(
            names = "--group",
            paramLabel = "[NAMESPACE/]NAME",
            description =
                    "a group of pods: whether it fits as a whole, and otherwise the fewest evictions that would make room for it")
    private Optional<String> group = Optional.empty();

    @Option(
            names = "--min-member",
            paramLabel = "N",
            description = "how many pods of the group have to run (default: what its pods say, else all of them)")
    private Optional<Integer> least = Optional.empty();

    boolean isGiven() {
        return group.isPresent();
    }

    /** {@code namespace/name} of the group, if one was asked for. */
    Optional<String> group(String namespace) {
        return group.map(name -> ExplainedPod.qualified(name, namespace));
    }

    OptionalInt least() {
        return least.map(OptionalInt::of).orElse(OptionalInt.empty());
    }

    /** For people. */
    static String text(JsonNode explanation) {
        List<String> lines = new ArrayList<>();
        lines.add("group %s: %d of its %d waiting pods have to run together, %s%d fit now"
                .formatted(
                        explanation.path("group").asText(),
                        explanation.path("needed").asInt(),
                        explanation.path("waiting").asInt(),
                        explanation.path("cutOff").asBoolean() ? "at least " : "",
                        explanation.path("placeable").asInt()));
        String unmodelled = explanation.path("notConsidered").asText();
        if (!unmodelled.isEmpty()) {
            lines.add("not considered, so that nobody is evicted for it: " + unmodelled);
        }
        JsonNode evictions = explanation.path("evictions");
        if (!explanation.path("fits").asBoolean()) {
            lines.add(
                    evictions.isEmpty()
                            ? "no evictions were found that make room for it"
                            : "it would fit if these pods moved (disruption budgets are not considered):");
            evictions.forEach(move -> lines.add("  %s from node %s, which fits node %s"
                    .formatted(
                            move.path("pod").asText(),
                            move.path("node").asText(),
                            move.path("target").asText())));
        }
        explanation.path("nodes").forEach(node -> {
            List<String> pods = new ArrayList<>();
            node.path("pods").forEach(pod -> pods.add(pod.asText()));
            lines.add("node %s: %s".formatted(node.path("node").asText(), String.join(", ", pods)));
        });
        return String.join(System.lineSeparator(), lines);
    }
}
