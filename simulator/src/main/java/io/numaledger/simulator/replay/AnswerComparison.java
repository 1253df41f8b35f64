package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.KubeletFailure;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares the model's answer with the recorded one: verdict, reason, message, and each container's CPUs, memory and
 * devices. What is null in the record is not compared, except that a container without CPUs of its own has null there.
 */
final class AnswerComparison {

    private final JsonNode recorded;
    private final boolean nullCpusAreOpen;
    private final List<String> differences = new ArrayList<>();

    private AnswerComparison(JsonNode recorded, boolean nondeterministic) {
        this.recorded = recorded;
        this.nullCpusAreOpen = nondeterministic;
    }

    /** What differs, one sentence each; empty when the model is right. */
    static List<String> differences(JsonNode step, Admission answer, boolean nondeterministic) {
        JsonNode recorded = step.path("result");
        AnswerComparison comparison = new AnswerComparison(recorded, nondeterministic);
        if (RecordedJson.has(step, "error")) {
            comparison.comparePanic(RecordedJson.text(step, "error"), answer);
            return comparison.differences;
        }
        comparison.compareVerdict(answer);
        if (comparison.differences.isEmpty() && answer instanceof Admission.Admitted admitted) {
            RecordedJson.optional(recorded, "containers")
                    .ifPresent(all -> RecordedJson.fields(all)
                            .forEach((name, container) ->
                                    comparison.compareContainer(name, container, admitted.container(name))));
        }
        return comparison.differences;
    }

    private void compare(String what, Optional<String> expected, String actual) {
        expected.filter(text -> !text.equals(actual))
                .ifPresent(text -> differences.add("%s: recorded '%s', model '%s'".formatted(what, text, actual)));
    }

    private void comparePanic(String error, Admission answer) {
        if (!(answer instanceof KubeletFailure failure && failure.kind() == Kind.PANIC)) {
            differences.add("error: recorded '%s', model '%s'".formatted(error, answer));
        }
    }

    private void compareVerdict(Admission answer) {
        Optional<Refusal> refusal = answer.refused();
        String verdict = answer.isAdmitted() ? "true" : refusal.isPresent() ? "false" : answer.toString();
        compare("admitted", RecordedJson.optional(recorded, "admitted").map(JsonNode::asText), verdict);
        if (refusal.isPresent() && !recorded.path("admitted").asBoolean(false)) {
            compare(
                    "reason",
                    RecordedJson.optional(recorded, "reason").map(JsonNode::asText),
                    refusal.get().reason().toString());
            compare(
                    "message",
                    RecordedJson.optional(recorded, "message").map(JsonNode::asText),
                    refusal.get().message().orElse("open"));
        }
    }

    private void compareContainer(String name, JsonNode expected, Optional<PredictedContainer> predicted) {
        if (expected.isNull()) {
            return;
        }
        if (predicted.isEmpty()) {
            differences.add("container %s: recorded, but not in the pod".formatted(name));
            return;
        }
        compareCpus(name, expected, predicted.get().cpus());
        if (RecordedJson.has(expected, "memory")) {
            compareMemory(
                    name, RecordedJson.list(expected, "memory"), predicted.get().memory());
        }
        compareDevices(name, expected.path("devices"), predicted.get().deviceCounts());
    }

    private void compareCpus(String name, JsonNode container, CpuSet cpus) {
        Optional<String> expected = RecordedJson.optional(container, "cpus")
                .map(text -> CpuSet.parse(text.asText()).toString());
        if (expected.isEmpty() && container.has("cpus") && !nullCpusAreOpen) {
            expected = Optional.of("");
        }
        compare("cpus of " + name, expected, cpus.toString());
    }

    private void compareMemory(String name, List<JsonNode> expected, List<MemoryBlock> blocks) {
        if (expected.size() != blocks.size()) {
            differences.add("memory of %s: recorded %s, model %s".formatted(name, expected, blocks));
            return;
        }
        List<JsonNode> sorted = expected.stream()
                .sorted(Comparator.comparing(block -> block.path("type").asText()))
                .toList();
        for (int i = 0; i < sorted.size(); i++) {
            MemoryBlock block = blocks.get(i);
            String what = "memory of " + name + " " + block.type();
            compare(what, RecordedJson.optional(sorted.get(i), "type").map(JsonNode::asText), block.type());
            compare(
                    what,
                    RecordedJson.optional(sorted.get(i), "size").map(JsonNode::asText),
                    Long.toString(block.sizeBytes()));
            compare(
                    what,
                    RecordedJson.optional(sorted.get(i), "numaAffinity")
                            .map(nodes ->
                                    AffinityMask.of(RecordedJson.ints(nodes)).toString()),
                    AffinityMask.of(block.numaNodes()).toString());
        }
    }

    private void compareDevices(String name, JsonNode expected, SortedMap<String, SortedMap<Long, Integer>> predicted) {
        if (!expected.isObject()) {
            return;
        }
        if (!RecordedJson.fields(expected).keySet().equals(predicted.keySet())) {
            differences.add("devices of %s: recorded %s, model %s".formatted(name, expected, predicted));
            return;
        }
        predicted.forEach((resource, counts) ->
                differences.addAll(counts("devices of " + name + " " + resource, expected.get(resource), counts)));
    }

    /** Compares counts by NUMA nodes; a count that is null in the record may be anything, also nothing. */
    static List<String> counts(String what, JsonNode expected, SortedMap<Long, Integer> counts) {
        if (expected.isNull()) {
            return List.of();
        }
        SortedMap<String, Integer> named = new TreeMap<>();
        counts.forEach((mask, count) -> named.put(nodesKey(new AffinityMask(mask)), count));
        SortedMap<String, Integer> wanted = new TreeMap<>();
        RecordedJson.fields(expected).forEach((nodes, count) -> {
            if (count.isNull()) {
                named.remove(nodes);
            } else if (count.asInt() != 0) {
                wanted.put(nodes, count.asInt());
            }
        });
        named.values().removeIf(count -> count == 0);
        return named.equals(wanted) ? List.of() : List.of("%s: recorded %s, model %s".formatted(what, expected, named));
    }

    private static String nodesKey(AffinityMask mask) {
        String text = mask.toString();
        return mask.isEmpty() ? "none" : text.substring(1, text.length() - 1);
    }
}
