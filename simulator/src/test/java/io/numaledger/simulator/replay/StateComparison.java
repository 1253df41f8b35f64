package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Compares hints, states and start-up messages, which do not count in a replay. */
final class StateComparison implements Replay.Observer {

    private final List<String> differences = new ArrayList<>();
    private long states;
    private long hints;
    private long offers;
    private long refusals;

    List<String> differences() {
        return differences;
    }

    /** How many of everything was compared. */
    String counts() {
        return "states=%d hints=%d offers=%d refusals=%d".formatted(states, hints, offers, refusals);
    }

    @Override
    public void started(Scenario scenario, KubeletModel model) {
        compareState(scenario, "initial", model, scenario.initialState(), model.empty());
    }

    @Override
    public void refused(Scenario scenario, String message) {
        refusals++;
        check(scenario, "start", scenario.startupError().orElseThrow(), message);
    }

    @Override
    public void stepped(
            Scenario scenario, KubeletModel model, JsonNode step, Optional<Admission> answer, NodeState state) {
        answer.ifPresent(admission -> compareHints(scenario, step, admission));
        compareState(scenario, "after " + step.path("op"), model, step.path("state"), state);
    }

    private void check(Scenario scenario, String what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            differences.add("scenario=%s %s: recorded %s, model %s".formatted(scenario.id(), what, expected, actual));
        }
    }

    private void compareHints(Scenario scenario, JsonNode step, Admission admission) {
        if (admission instanceof Admission.KubeletFailure) {
            return;
        }
        Admission.Hints model = admission instanceof Admission.Admitted admitted
                ? admitted.hints()
                : ((Admission.Refused) admission).hints();
        JsonNode result = step.path("result");
        RecordedJson.optional(result, "hint").ifPresent(hint -> compareHint(scenario, "hint", hint, model.pod()));
        RecordedJson.optional(result, "containerHints").ifPresent(all -> {
            check(
                    scenario,
                    "containers looked at",
                    RecordedJson.fields(all).keySet(),
                    model.byContainer().keySet());
            RecordedJson.fields(all)
                    .forEach((name, hint) -> compareHint(
                            scenario,
                            "hint of " + name,
                            hint,
                            Optional.ofNullable(model.byContainer().get(name))));
        });
        RecordedJson.optional(result, "providerHints")
                .ifPresent(all -> RecordedJson.fields(all)
                        .forEach((name, offer) -> compareOffer(
                                scenario, name, offer, model.offered().get(name))));
    }

    private void compareHint(Scenario scenario, String what, JsonNode expected, Optional<TopologyHint> hint) {
        hints++;
        boolean open = scenario.nondeterministic();
        if (expected.isNull()) {
            return;
        }
        RecordedJson.optional(expected, "preferred")
                .ifPresent(preferred -> check(
                        scenario,
                        what,
                        preferred.asBoolean(),
                        hint.orElseThrow().preferred()));
        Optional<AffinityMask> mask =
                RecordedJson.optional(expected, "numaNodes").map(nodes -> AffinityMask.of(RecordedJson.ints(nodes)));
        if (mask.isPresent() || !open) {
            check(scenario, what, mask, hint.orElseThrow().mask());
        }
    }

    private void compareOffer(Scenario scenario, String container, JsonNode expected, List<ProviderHints> offered) {
        offers++;
        SortedMap<String, Optional<TreeSet<String>>> named = new TreeMap<>();
        offered.forEach(provider -> provider.byResource()
                .forEach((resource, list) -> named.put(resource, list.map(StateComparison::texts))));
        SortedMap<String, Optional<TreeSet<String>>> wanted = new TreeMap<>();
        RecordedJson.fields(expected).forEach((resource, list) -> {
            if (list.isNull() && scenario.nondeterministic()) {
                named.remove(resource);
            } else {
                wanted.put(resource, list.isNull() ? Optional.empty() : Optional.of(recordedTexts(list)));
            }
        });
        check(scenario, "offers to " + container, wanted, named);
    }

    private static TreeSet<String> texts(List<TopologyHint> list) {
        TreeSet<String> texts = new TreeSet<>();
        list.forEach(hint -> texts.add(hint.toString()));
        return texts;
    }

    private static TreeSet<String> recordedTexts(JsonNode list) {
        TreeSet<String> texts = new TreeSet<>();
        list.forEach(hint -> texts.add(TopologyHint.of(
                        AffinityMask.of(RecordedJson.ints(hint.path("numaNodes"))),
                        hint.path("preferred").asBoolean())
                .toString()));
        return texts;
    }

    private void compareState(Scenario scenario, String when, KubeletModel model, JsonNode expected, NodeState state) {
        if (!expected.isObject()) {
            return;
        }
        states++;
        RecordedJson.optional(expected, "sharedCpus")
                .ifPresent(cpus -> check(
                        scenario,
                        when + " shared CPUs",
                        CpuSet.parse(cpus.asText()),
                        state.cpus().orElseThrow().shared()));
        RecordedJson.optional(expected, "memory")
                .ifPresent(nodes -> RecordedJson.fields(nodes)
                        .forEach((id, node) -> compareMemory(
                                scenario,
                                when + " NUMA node " + id,
                                node,
                                state.memory().orElseThrow().nodes().get(Integer.valueOf(id)))));
        RecordedJson.optional(expected, "freeDevices")
                .ifPresent(resources -> RecordedJson.fields(resources).forEach((resource, counts) -> {
                    var devices = model.devices().orElseThrow();
                    var free = devices.countsByMask(resource, devices.available(resource, state.devices()));
                    AnswerComparison.counts(when + " free " + resource, counts, free)
                            .forEach(difference ->
                                    differences.add("scenario=%s %s".formatted(scenario.id(), difference)));
                }));
    }

    private void compareMemory(Scenario scenario, String what, JsonNode expected, NumaMemory memory) {
        RecordedJson.optional(expected, "cells")
                .ifPresent(cells ->
                        check(scenario, what + " cells", AffinityMask.of(RecordedJson.ints(cells)), memory.cells()));
        RecordedJson.optional(expected, "assignments")
                .ifPresent(count -> check(scenario, what + " assignments", count.asInt(), memory.assignments()));
        RecordedJson.fields(expected.path("free")).forEach((type, bytes) -> {
            if (!bytes.isNull()) {
                String free = Long.toUnsignedString(memory.free().get(type));
                check(scenario, what + " free " + type, bytes.asText(), free);
            }
        });
    }
}
