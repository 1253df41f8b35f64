package io.numaledger.bridge.gated;

import io.numaledger.bridge.group.PlannedNode;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.topology.Topologies;
import io.numaledger.bridge.topology.TopologyRequest;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The pods of a group with the gate of groups.
 *
 * @param gated not released yet, the oldest first
 * @param released tied to a node by a plan, without gates, and not bound so far
 * @param ignored they say that they are planned, and were not released
 * @param succeeded they have run already
 * @param subGroups name → how many of its pods have to run; empty: the group is not divided
 */
record GatedGroup(
        PodGroupName name,
        List<PodFacts> bound,
        List<PodFacts> released,
        List<PodFacts> gated,
        List<PodFacts> ignored,
        List<PodFacts> succeeded,
        int least,
        Map<String, Integer> subGroups) {

    /** Pods of which at least this many have to be placed, at once. */
    record Choice(List<PodFacts> pods, int least) {}

    /** How many run, have run or are tied to a node. */
    int placed() {
        return bound.size() + released.size() + succeeded.size();
    }

    /** How many have to run beside those; 0 or more. */
    private int missing() {
        return subGroups.isEmpty()
                ? Math.max(0, least - placed())
                : missingOfSubGroups().values().stream()
                        .mapToInt(Integer::intValue)
                        .sum();
    }

    /** Counted in one pass: there may be as many sub-groups as pods. */
    private Map<String, Integer> missingOfSubGroups() {
        Map<String, Integer> missing = new LinkedHashMap<>(subGroups);
        Stream.of(bound, released, succeeded)
                .flatMap(List::stream)
                .flatMap(pod -> pod.group().subGroup().stream())
                .forEach(subGroup -> missing.computeIfPresent(subGroup, (any, left) -> Math.max(0, left - 1)));
        return missing;
    }

    /** What may be placed, the best first. The sub-groups of a group have to be complete. */
    List<Choice> choices() {
        if (subGroups.isEmpty() || missing() == 0) {
            return List.of(new Choice(gated, needed()));
        }
        List<PodFacts> required = required();
        return List.of(new Choice(gated, gated.size()), new Choice(required, required.size()));
    }

    /** The oldest pods that complete the sub-groups. */
    private List<PodFacts> required() {
        Map<String, List<PodFacts>> waiting = new HashMap<>();
        gated.forEach(pod -> pod.group()
                .subGroup()
                .ifPresent(subGroup -> waiting.computeIfAbsent(subGroup, any -> new ArrayList<>())
                        .add(pod)));
        return missingOfSubGroups().entrySet().stream()
                .flatMap(each ->
                        waiting.getOrDefault(each.getKey(), List.of()).stream().limit(each.getValue()))
                .toList();
    }

    /** Some run without others that they need, and those are waiting. */
    boolean isIncomplete() {
        List<PodFacts> waiting = subGroups.isEmpty() ? gated : required();
        return !(bound.isEmpty() && released.isEmpty()) && missing() > 0 && !(waiting.isEmpty() && released.isEmpty());
    }

    /** Pods that have a node, or are tied to one → its name. */
    Map<PodFacts, String> nodes() {
        Map<PodFacts, String> nodes = new LinkedHashMap<>();
        bound.forEach(pod -> nodes.put(pod, pod.node().orElseThrow()));
        released.forEach(pod -> nodes.put(pod, PlannedNode.of(pod).orElseThrow()));
        return nodes;
    }

    /** What the PodGroup says, or the first pod that says something. */
    Optional<TopologyRequest> topology(Optional<PodGroup> object, Topologies topologies) {
        return Stream.concat(
                        object.stream().map(PodGroup::topology),
                        Stream.of(gated, released, bound).flatMap(List::stream).map(PodFacts::annotations))
                .map(annotations -> TopologyRequest.of(annotations, topologies))
                .flatMap(Optional::stream)
                .findFirst();
    }

    PodFacts first() {
        return List.of(gated, released, bound, ignored).stream()
                .flatMap(List::stream)
                .findFirst()
                .orElseThrow();
    }

    /** The lowest of the pods that wait: one important pod does not make the others important. */
    int priority() {
        return gated.stream()
                .mapToInt(pod -> pod.priority().value())
                .min()
                .orElseGet(() -> first().priority().value());
    }

    List<String> gatedUids() {
        return gated.stream().map(pod -> pod.uid().orElse("")).toList();
    }

    /** How many more have to run; 1 or more. */
    int needed() {
        return Math.max(1, missing());
    }

    /** Whether enough pods are there to be planned. */
    boolean isPlannable() {
        int there = subGroups.isEmpty() ? gated.size() : required().size();
        return !gated.isEmpty() && there >= missing();
    }

    /** No more pods than have to run beside those that do. */
    List<PodFacts> fewest() {
        return subGroups.isEmpty() || missing() == 0 ? gated.subList(0, Math.min(gated.size(), needed())) : required();
    }
}
