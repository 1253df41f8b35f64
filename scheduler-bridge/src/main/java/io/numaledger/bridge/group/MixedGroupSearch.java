package io.numaledger.bridge.group;

import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.evaluation.TentativeNode;
import io.numaledger.bridge.objects.PodFacts;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Finds nodes for pods that are not alike: depth first, one pod after the other, with backtracking. Nodes that have pods of the group
 * already are tried first. A search is used once.
 */
final class MixedGroupSearch {

    private final List<Member> members;
    private final int maxLeftOut;
    private final int maxSteps;
    private final Map<String, Object> alike;
    private int spare;
    private int steps;
    private int deepest;

    /**
     * A pod to be placed.
     *
     * @param like the key of the first pod that is like it
     * @param allowed where it may run
     */
    record Member(PodFacts pod, String like, List<CandidateNode> allowed) {}

    private final Map<String, TentativeNode> filled = new LinkedHashMap<>();
    private final Map<String, List<PodFacts>> byNode = new LinkedHashMap<>();

    /**
     * A search.
     *
     * @param members in the order in which they are tried
     * @param maxLeftOut how many of them may be left out
     * @param maxSteps how often a pod is tried on a node, at most
     */
    MixedGroupSearch(List<Member> members, int maxLeftOut, int maxSteps) {
        this.members = members;
        this.maxLeftOut = maxLeftOut;
        this.maxSteps = maxSteps;
        this.alike = alike(members);
    }

    /** Empty nodes with equal values take the same pods: if one of them does not help, the others do not. */
    private static Map<String, Object> alike(List<Member> members) {
        if (members.stream().anyMatch(member -> FullModel.isConditional(member.pod()))) {
            return Map.of(); // more than their zones decides
        }
        Map<String, List<Integer>> kinds = new HashMap<>();
        Map<String, Object> alike = new HashMap<>();
        for (int at = 0; at < members.size(); at++) {
            for (CandidateNode node : members.get(at).allowed()) {
                kinds.computeIfAbsent(node.name(), any -> new ArrayList<>()).add(at);
            }
        }
        for (Member member : members) {
            for (CandidateNode node : member.allowed()) {
                alike.computeIfAbsent(
                        node.name(),
                        name -> node.alike()
                                .<Object>map(same -> List.of(same, kinds.getOrDefault(name, List.of())))
                                .orElse(name));
            }
        }
        return alike;
    }

    /** As many pods as possible are to run: few are left out first. */
    PlanningResult search() {
        for (int leftOut = 0; leftOut <= maxLeftOut; leftOut++) {
            spare = leftOut;
            if (place(0)) {
                return new PlanningResult(Optional.of(new GroupPlan(byNode)), placed(), false);
            }
        }
        return new PlanningResult(Optional.empty(), deepest, steps >= maxSteps);
    }

    private boolean place(int at) {
        if (at == members.size()) {
            return true;
        }
        Member member = members.get(at);
        Set<Object> tried = new HashSet<>();
        for (CandidateNode node : usedFirst(member.allowed())) {
            if (!byNode.containsKey(node.name()) && !tried.add(alike.getOrDefault(node.name(), node))) {
                continue;
            }
            if (steps++ >= maxSteps) {
                return false;
            }
            TentativeNode before = filled.getOrDefault(node.name(), node.start());
            Optional<TentativeNode> after = before.with(member.pod());
            if (after.isPresent()) {
                put(node.name(), after.get(), member.pod());
                deepest = Math.max(deepest, placed());
                if (place(at + 1)) {
                    return true;
                }
                remove(node.name(), before);
            }
        }
        return leaveOut(at);
    }

    /** Also the pods that are like this one and come after it: if it found no place, they would not either. */
    private boolean leaveOut(int at) {
        int alike = 0;
        while (at + alike < members.size()
                && members.get(at + alike).like().equals(members.get(at).like())) {
            alike++;
        }
        if (alike > spare) {
            return false;
        }
        spare -= alike;
        boolean placed = place(at + alike);
        spare += placed ? 0 : alike;
        return placed;
    }

    private int placed() {
        return byNode.values().stream().mapToInt(List::size).sum();
    }

    private List<CandidateNode> usedFirst(List<CandidateNode> allowed) {
        List<CandidateNode> ordered = new ArrayList<>();
        allowed.stream().filter(node -> byNode.containsKey(node.name())).forEach(ordered::add);
        allowed.stream().filter(node -> !byNode.containsKey(node.name())).forEach(ordered::add);
        return ordered;
    }

    private void put(String node, TentativeNode after, PodFacts pod) {
        filled.put(node, after);
        byNode.computeIfAbsent(node, any -> new ArrayList<>()).add(pod);
    }

    private void remove(String node, TentativeNode before) {
        filled.put(node, before);
        List<PodFacts> pods = byNode.getOrDefault(node, List.of());
        pods.remove(pods.size() - 1);
        if (pods.isEmpty()) {
            byNode.remove(node);
        }
    }
}
