package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.TentativeNode;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** {@link MixedGroupSearch} as it is defined: one call per pod, and no equal nodes. */
final class RecursiveGroupSearch {

    private final List<MixedGroupSearch.Member> members;
    private final int maxLeftOut;
    private final Map<String, TentativeNode> filled = new LinkedHashMap<>();
    private final Map<String, List<PodFacts>> byNode = new LinkedHashMap<>();
    private int spare;
    private int deepest;

    RecursiveGroupSearch(List<MixedGroupSearch.Member> members, int maxLeftOut) {
        this.members = members;
        this.maxLeftOut = maxLeftOut;
    }

    PlanningResult search() {
        for (int leftOut = 0; leftOut <= maxLeftOut; leftOut++) {
            spare = leftOut;
            if (place(0)) {
                return new PlanningResult(Optional.of(new GroupPlan(byNode)), placed(), false);
            }
        }
        return new PlanningResult(Optional.empty(), deepest, false);
    }

    private boolean place(int at) {
        if (at == members.size()) {
            return true;
        }
        List<GroupNode> ordered = new ArrayList<>();
        List<GroupNode> allowed = members.get(at).allowed();
        allowed.stream().filter(node -> byNode.containsKey(node.name())).forEach(ordered::add);
        allowed.stream().filter(node -> !byNode.containsKey(node.name())).forEach(ordered::add);
        for (GroupNode node : ordered) {
            TentativeNode before = filled.getOrDefault(node.name(), node.start());
            Optional<TentativeNode> after = before.with(members.get(at).pod());
            if (after.isPresent()) {
                filled.put(node.name(), after.get());
                List<PodFacts> here = byNode.computeIfAbsent(node.name(), any -> new ArrayList<>());
                here.add(members.get(at).pod());
                deepest = Math.max(deepest, placed());
                if (place(at + 1)) {
                    return true;
                }
                filled.put(node.name(), before);
                here.remove(here.size() - 1);
                byNode.values().removeIf(List::isEmpty);
            }
        }
        return leaveOut(at);
    }

    private boolean leaveOut(int at) {
        int equal = 0;
        while (at + equal < members.size()
                && members.get(at + equal).equalityKey().equals(members.get(at).equalityKey())) {
            equal++;
        }
        if (equal > spare) {
            return false;
        }
        spare -= equal;
        boolean placed = place(at + equal);
        spare += placed ? 0 : equal;
        return placed;
    }

    private int placed() {
        return byNode.values().stream().mapToInt(List::size).sum();
    }
}
