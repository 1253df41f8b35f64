package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.group.PlannedNode;
import io.numaledger.scheduling.topology.Topologies;
import io.numaledger.scheduling.topology.TopologyRequest;

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
 * <p>What a group has is seen in its pods, and what was done for it in its {@link GroupProgress}. Each check finds it in one of these states:
 *
 * <table>
 * <caption>A group from check to check</caption>
 * <tr><th>state</th><th>event</th><th>next state</th><th>if it lasts for</th></tr>
 * <tr><td>TOO_FEW</td><td>enough pods, and they fit</td><td>PLACED</td><td></td></tr>
 * <tr><td>TOO_FEW</td><td>enough pods, and they do not fit</td><td>WAITS</td><td></td></tr>
 * <tr><td>TOO_FEW</td><td>enough pods, and they fit if pods of lower priority end</td><td>AWAITS_EVICTIONS</td><td></td></tr>
 * <tr><td>WAITS</td><td>another pod ends, and the group fits</td><td>PLACED</td><td></td></tr>
 * <tr><td>WAITS</td><td>nothing changes: places are reserved for it</td><td>RESERVED</td><td>holdAfter</td></tr>
 * <tr><td>WAITS</td><td>a waiting pod is deleted</td><td>TOO_FEW</td><td></td></tr>
 * <tr><td>RESERVED</td><td>another pod ends, and the group fits</td><td>PLACED</td><td></td></tr>
 * <tr><td>RESERVED</td><td>nothing changes: its places are left to others</td><td>WAITS</td><td>LIMIT</td></tr>
 * <tr><td>RESERVED</td><td>a waiting pod is deleted</td><td>TOO_FEW</td><td></td></tr>
 * <tr><td>AWAITS_EVICTIONS</td><td>the evicted pods end</td><td>PLACED</td><td></td></tr>
 * <tr><td>AWAITS_EVICTIONS</td><td>a waiting pod is deleted</td><td>TOO_FEW</td><td></td></tr>
 * <tr><td>PLACED</td><td>a pod is lost</td><td>INCOMPLETE</td><td></td></tr>
 * <tr><td>PLACED</td><td>a scheduler refuses a pod, which is evicted</td><td>INCOMPLETE</td><td>unscheduled</td></tr>
 * <tr><td>INCOMPLETE</td><td>another pod comes, and fits</td><td>PLACED</td><td></td></tr>
 * <tr><td>INCOMPLETE</td><td>another pod comes, and does not fit</td><td>INCOMPLETE</td><td></td></tr>
 * <tr><td>INCOMPLETE</td><td>nothing changes: the others are evicted</td><td>TOO_FEW</td><td>comeUp</td></tr>
 * </table>
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

    /** A state of a group. */
    enum State {
        /** Fewer pods wait than have to run, and none run. */
        TOO_FEW,
        /** Enough pods wait, and do not fit. */
        WAITS,
        /** The same, and places are reserved for them. */
        RESERVED,
        /** The same, and pods of lower priority are evicted for them. */
        AWAITS_EVICTIONS,
        /** Enough pods run or are tied to a node. Others may wait. */
        PLACED,
        /** Some pods run or are tied to a node, and others that they need are not. */
        INCOMPLETE
    }

    State state(GroupProgress progress) {
        if (!bound.isEmpty() || !released.isEmpty()) {
            return missing() == 0 ? State.PLACED : State.INCOMPLETE;
        }
        if (!isPlannable()) {
            return State.TOO_FEW;
        }
        return progress.isPreempting()
                ? State.AWAITS_EVICTIONS
                : progress.reserved().isPresent() ? State.RESERVED : State.WAITS;
    }

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
