package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.apiobjects.recording.Recording;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Who erred when a prediction missed, as far as its file tells. The model decides in the state that the bridge knew, then in the one that
 * it knew after the kubelet's decision, then without single pods.
 */
record AuditJudgement(Erred erred, List<String> sentences) {

    /** Whose fault it is. */
    enum Erred {
        /** The kubelet has decided as predicted. */
        NOBODY("nobody"),
        /** The bridge: it has predicted otherwise than the model in the same state, or has mispredicted another pod before. */
        BRIDGE("bridge"),
        /** What the agent has published was not so. */
        AGENT("agent"),
        /** The kubelet has given something to two pods. */
        KUBELET("kubelet"),
        /** A pod came or ended just then. */
        TIMING("timing"),
        /** Unknown: the agent, or the model of the kubelet. */
        UNDECIDED("undecided");

        private final String text;

        Erred(String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            return text;
        }
    }

    /** Judges a recording that has an audit. Throws IllegalArgumentException if it is malformed. */
    static AuditJudgement of(Recording recording) {
        try {
            return new Judge(recording).judge();
        } catch (StartupRefusedException refusal) {
            return new AuditJudgement(Erred.UNDECIDED, List.of("no kubelet would start so: " + refusal.getMessage()));
        }
    }

    /** What a pod was known to hold, before and later; absent: it was not known. */
    private record Change(String pod, Optional<JsonNode> before, Optional<JsonNode> later) {

        boolean isOne() {
            return !before.map(Change::containers).equals(later.map(Change::containers));
        }

        private static JsonNode containers(JsonNode pod) {
            return pod.path("containers");
        }

        private String source() {
            return before.map(pod -> pod.path("source").asText()).orElse("");
        }

        Erred erred() {
            if (before.isEmpty() || later.isEmpty()) {
                return Erred.TIMING;
            }
            return switch (source()) {
                case "reserved", "predicted", "expected" -> Erred.BRIDGE;
                default -> Erred.AGENT;
            };
        }

        @Override
        public String toString() {
            return "pod=%s source=%s before: %s later: %s".formatted(pod, source(), text(before), text(later));
        }

        private static String text(Optional<JsonNode> pod) {
            return pod.map(known -> RecordedJson.fields(containers(known)).entrySet().stream()
                            .map(each -> "%s cpus=%s devices=%s"
                                    .formatted(
                                            each.getKey(),
                                            each.getValue().path("cpus").asText(),
                                            each.getValue().path("devices")))
                            .collect(Collectors.joining("; ")))
                    .orElse("not known");
        }
    }

    private static final class Judge {

        private final RecordedState state;
        private final JsonNode audit;
        private final JsonNode decided;
        private final List<JsonNode> held;
        private final List<JsonNode> after;

        Judge(Recording recording) {
            this.state = new RecordedState(recording);
            this.audit = RecordedState.json(recording.audit().orElseThrow());
            JsonNode pods = RecordedState.pods(recording);
            this.decided = RecordedJson.required(pods, "decided");
            this.held = RecordedJson.list(pods, "held");
            this.after = RecordedJson.list(audit, "after");
        }

        AuditJudgement judge() {
            ObjectNode predicted = decided.deepCopy();
            predicted.set("result", RecordedJson.required(audit, "predicted"));
            List<String> fromPrediction = state.differences(state.held(held), predicted);
            if (!fromPrediction.isEmpty()) {
                return because(Erred.BRIDGE, "the model predicts otherwise in the same state", fromPrediction);
            }
            List<String> fromKubelet = state.differences(state.held(held), decided);
            if (fromKubelet.isEmpty()) {
                return because(Erred.NOBODY, "the kubelet has decided as predicted", List.of());
            }
            return givenTwice()
                    .or(this::asKnownLater)
                    .or(this::withoutOnePod)
                    .orElseGet(() -> because(
                            Erred.UNDECIDED,
                            "the model decides as predicted: the node held what the file does not show, or the model of the kubelet is wrong; create the pod on the node of sim up --nodes and compare",
                            fromKubelet));
        }

        private static AuditJudgement because(Erred erred, String sentence, List<String> more) {
            List<String> sentences = new ArrayList<>(List.of(sentence));
            sentences.addAll(more);
            return new AuditJudgement(erred, sentences);
        }

        private Optional<AuditJudgement> givenTwice() {
            CpuSet own = cpus(decided.at("/result"));
            return after.stream()
                    .filter(pod -> !cpus(pod).intersect(own).isEmpty())
                    .findFirst()
                    .map(pod -> because(
                            Erred.KUBELET,
                            "the kubelet has given CPUs to two pods: cpus=%s pod=%s"
                                    .formatted(cpus(pod).intersect(own), RecordedJson.text(pod, "name")),
                            List.of()));
        }

        private static CpuSet cpus(JsonNode pod) {
            CpuSet all = CpuSet.EMPTY;
            for (JsonNode container :
                    RecordedJson.fields(pod.path("containers")).values()) {
                all = all.union(CpuSet.parse(container.path("cpus").asText("")));
            }
            return all;
        }

        /** All pods that were known later, or those of them that were known before. */
        private Optional<AuditJudgement> asKnownLater() {
            Set<String> known = byName(held).keySet();
            List<JsonNode> both = after.stream()
                    .filter(pod -> known.contains(RecordedJson.text(pod, "name")))
                    .toList();
            if (!isAsKubelet(after) && !isAsKubelet(both)) {
                return Optional.empty();
            }
            List<Change> changed = changed();
            return Optional.of(because(
                    changed.stream().map(Change::erred).min(Enum::compareTo).orElse(Erred.TIMING),
                    "in the state that was known later, the model decides as the kubelet",
                    changed.stream().map(Change::toString).toList()));
        }

        private boolean isAsKubelet(List<JsonNode> pods) {
            try {
                List<PodAllocation> allocations = state.held(pods);
                return state.differences(allocations, decided).isEmpty();
            } catch (IllegalArgumentException contradictory) {
                return false;
            }
        }

        /** The pods that held something else, or that were not known any more or not yet. */
        private List<Change> changed() {
            Map<String, JsonNode> before = byName(held);
            Map<String, JsonNode> later = byName(after);
            SortedSet<String> names = new TreeSet<>(before.keySet());
            names.addAll(later.keySet());
            return names.stream()
                    .map(name -> new Change(
                            name, Optional.ofNullable(before.get(name)), Optional.ofNullable(later.get(name))))
                    .filter(Change::isOne)
                    .toList();
        }

        private static Map<String, JsonNode> byName(List<JsonNode> pods) {
            Map<String, JsonNode> byName = new TreeMap<>();
            pods.forEach(pod -> byName.put(RecordedJson.text(pod, "name"), pod));
            return byName;
        }

        private Optional<AuditJudgement> withoutOnePod() {
            return held.stream()
                    .filter(ended -> isAsKubelet(held.stream()
                            .filter(pod -> !RecordedJson.text(pod, "name").equals(RecordedJson.text(ended, "name")))
                            .toList()))
                    .findFirst()
                    .map(ended -> because(
                            Erred.TIMING,
                            "the model decides as the kubelet if this pod had ended before: pod=%s terminating=%s"
                                    .formatted(
                                            RecordedJson.text(ended, "name"),
                                            ended.path("terminating").asBoolean()),
                            List.of()));
        }
    }
}
