package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.TentativeNode;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Finds nodes for pods that are not all equal: depth first, one pod after the other, with backtracking. Nodes that have pods of the group
 * already are tried first. A search is used once.
 */
final class MixedGroupSearch {

    private final List<Member> members;
    private final int maxLeftOut;
    private final int maxSteps;
    private final EvaluationBudget budget;
    private final Map<String, Integer> numbers;
    private int spare;
    private int steps;
    private int placed;
    private int deepest;

    /**
     * A pod to be placed.
     *
     * @param equalityKey the key of the first of the equal pods
     * @param allowed where it may run
     */
    record Member(PodFacts pod, String equalityKey, List<GroupNode> allowed) {}

    private final Map<String, TentativeNode> filled = new LinkedHashMap<>();
    private final Map<String, List<PodFacts>> byNode = new LinkedHashMap<>();

    /**
     * A search.
     *
     * @param members in the order in which they are tried
     * @param maxLeftOut how many of them may be left out
     * @param maxSteps how often a pod is tried on a node, at most
     */
    MixedGroupSearch(List<Member> members, int maxLeftOut, int maxSteps, EvaluationBudget budget) {
        this.members = members;
        this.maxLeftOut = maxLeftOut;
        this.maxSteps = maxSteps;
        this.budget = budget;
        this.numbers = numbers(members);
    }

    /** Node → its number. Empty nodes with equal numbers take the same pods: if one of them does not help, the others do not. */
    private Map<String, Integer> numbers(List<Member> members) {
        if (members.stream()
                .anyMatch(member -> FullModel.isConditional(member.pod())
                        || !member.pod().claims().isEmpty())) {
            return Map.of(); // more than their zones decides
        }
        Map<GroupNode, BitSet> allowed = new LinkedHashMap<>();
        String last = "";
        for (int at = 0; at < members.size(); at++) {
            Member member = members.get(at);
            if (!member.equalityKey().equals(last)
                    && budget.takeNodes(member.allowed().size())) {
                int first = at;
                member.allowed()
                        .forEach(node -> allowed.computeIfAbsent(node, any -> new BitSet())
                                .set(first));
            }
            last = member.equalityKey();
        }
        Map<Object, Integer> byKey = new HashMap<>();
        Map<String, Integer> byName = new HashMap<>();
        allowed.forEach((node, which) -> byName.put(
                node.name(),
                byKey.computeIfAbsent(
                        node.equalityKey()
                                .<Object>map(same -> List.of(same, which))
                                .orElse(node),
                        any -> byKey.size())));
        return byName;
    }

    /** As many pods as possible are to run: few are left out first. */
    PlanningResult search() {
        int nowhere = (int)
                members.stream().filter(member -> member.allowed().isEmpty()).count();
        for (int leftOut = nowhere; leftOut <= maxLeftOut && !isOver(); leftOut++) {
            spare = leftOut;
            if (placeAll()) {
                return new PlanningResult(Optional.of(new GroupPlan(byNode)), placed, false);
            }
        }
        return new PlanningResult(Optional.empty(), deepest, isOver());
    }

    private boolean isOver() {
        return steps >= maxSteps || budget.isUsedUp();
    }

    /** What is decided for one pod, and what is left to try. */
    private final class Decision {

        final int at;
        final Iterator<GroupNode> nodes;
        final Set<Object> tried = new HashSet<>();
        Optional<TentativeNode> before = Optional.empty();
        int leftOut;

        Decision(int at) {
            this.at = at;
            this.nodes = usedFirst(members.get(at).allowed()).iterator();
        }

        /** Undoes what was decided and decides otherwise. Returns which pod is next; absent: nothing is left to try. */
        OptionalInt next() {
            before.ifPresent(MixedGroupSearch.this::remove);
            before = Optional.empty();
            if (leftOut > 0) {
                spare += leftOut;
                return OptionalInt.empty();
            }
            while (nodes.hasNext()) {
                GroupNode node = nodes.next();
                if (!byNode.containsKey(node.name()) && !tried.add(numberOf(node))) {
                    continue;
                }
                if (steps++ >= maxSteps || !budget.take(1)) {
                    return OptionalInt.empty();
                }
                if (isPlaced(node)) {
                    return OptionalInt.of(at + 1);
                }
            }
            return leaveOut();
        }

        private boolean isPlaced(GroupNode node) {
            TentativeNode now = filled.getOrDefault(node.name(), node.start());
            Optional<TentativeNode> after = now.with(members.get(at).pod());
            after.ifPresent(with -> {
                before = Optional.of(now);
                put(with, members.get(at).pod());
            });
            return after.isPresent();
        }

        /** Leaves out this pod and the equal pods after it: if it found no place, they would not either. */
        private OptionalInt leaveOut() {
            int equal = 0;
            while (at + equal < members.size()
                    && members.get(at + equal)
                            .equalityKey()
                            .equals(members.get(at).equalityKey())) {
                equal++;
            }
            if (equal > spare) {
                return OptionalInt.empty();
            }
            leftOut = equal;
            spare -= equal;
            return OptionalInt.of(at + equal);
        }
    }

    /** Places all pods, with a stack of its own: a group may have more pods than that of a thread has room for. */
    private boolean placeAll() {
        Deque<Decision> decisions = new ArrayDeque<>();
        int at = 0;
        while (at < members.size()) {
            if (!budget.takeNodes(members.get(at).allowed().size())) {
                return false;
            }
            decisions.push(new Decision(at));
            OptionalInt next = decisions.element().next();
            while (next.isEmpty()) {
                decisions.pop();
                if (decisions.isEmpty()) {
                    return false;
                }
                next = decisions.element().next();
            }
            at = next.getAsInt();
        }
        return true;
    }

    private Object numberOf(GroupNode node) {
        Integer number = numbers.get(node.name());
        return number == null ? node : number;
    }

    private List<GroupNode> usedFirst(List<GroupNode> allowed) {
        List<GroupNode> ordered = new ArrayList<>();
        allowed.stream().filter(node -> byNode.containsKey(node.name())).forEach(ordered::add);
        allowed.stream().filter(node -> !byNode.containsKey(node.name())).forEach(ordered::add);
        return ordered;
    }

    private void put(TentativeNode after, PodFacts pod) {
        filled.put(after.name(), after);
        byNode.computeIfAbsent(after.name(), any -> new ArrayList<>()).add(pod);
        placed++;
        deepest = Math.max(deepest, placed);
    }

    private void remove(TentativeNode before) {
        filled.put(before.name(), before);
        List<PodFacts> pods = byNode.getOrDefault(before.name(), List.of());
        pods.remove(pods.size() - 1);
        placed--;
        if (pods.isEmpty()) {
            byNode.remove(before.name());
        }
    }
}
