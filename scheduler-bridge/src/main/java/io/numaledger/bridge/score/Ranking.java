package io.numaledger.bridge.score;

import io.numaledger.bridge.verdict.Outcome;

import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/** Ranks nodes by several goals, the first one first, into the extender's eleven scores. */
public final class Ranking {

    private static final int MAX = 10;

    private final List<Goal> goals;
    private final NodeScore score;

    public Ranking(List<Goal> goals, Strategy strategy) {
        this.goals = List.copyOf(goals);
        this.score = new NodeScore(strategy);
    }

    /** Node → 0 to 10; the best get 10, equals get equal scores. */
    public SortedMap<String, Integer> scores(SortedMap<String, Outcome> nodes) {
        Map<Outcome, List<Long>> known = new HashMap<>();
        Map<String, List<Long>> byNode = new HashMap<>();
        nodes.forEach((node, outcome) -> byNode.put(
                node,
                known.computeIfAbsent(
                        outcome,
                        any -> goals.stream()
                                .map(goal -> score.of(goal, outcome))
                                .toList())));
        TreeSet<List<Long>> tuples = new TreeSet<>(Ranking::compare);
        tuples.addAll(byNode.values());
        Map<List<Long>, Integer> ranks = new HashMap<>();
        int rank = 0;
        for (List<Long> tuple : tuples) {
            ranks.put(tuple, tuples.size() == 1 ? MAX : rank * MAX / (tuples.size() - 1));
            rank++;
        }
        TreeMap<String, Integer> scores = new TreeMap<>();
        byNode.forEach((node, tuple) -> scores.put(node, ranks.get(tuple)));
        return Collections.unmodifiableSortedMap(scores);
    }

    private static int compare(List<Long> a, List<Long> b) {
        for (int i = 0; i < a.size(); i++) {
            int order = Comparator.<Long>naturalOrder().compare(a.get(i), b.get(i));
            if (order != 0) {
                return order;
            }
        }
        return 0;
    }
}
