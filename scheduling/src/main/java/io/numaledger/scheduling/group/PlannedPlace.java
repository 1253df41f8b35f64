package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Reservation;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Where a waiting group is expected to fit first. Nobody says how long a pod runs: it is expected to run for as long as it has run already, so
 * that a place behind pods that come and go is found before one behind pods that have run for days.
 *
 * @param awaited the UIDs of the pods that have to end first
 */
public record PlannedPlace(GroupPlan plan, Set<String> awaited) {

    private static final Duration SHORTEST = Duration.ofMinutes(1);

    /** How often a time is doubled: the last one before "for ever" is 11 days. */
    private static final int DOUBLINGS = 15;

    /** The most nodes that are counted without the pods that end: each costs a node of its own to count on. The others are taken as they are now. */
    private static final int MAX_NODES = 500;

    /**
     * What a search is based on.
     *
     * @param inTheWay the planned pods of others that run, too
     * @param staying the UIDs of pods that are not expected to end
     */
    public record Basis(List<NodeUse> uses, Predicate<Reservation> inTheWay, Set<String> staying, Instant now) {

        /** Whether a pod has ended when this time has passed. */
        private boolean ends(PodFacts pod, Duration within) {
            return pod.terminating()
                    || (pod.uid().filter(staying::contains).isEmpty()
                            && pod.startedAt()
                                    .filter(since ->
                                            Duration.between(since, now).compareTo(within) > 0)
                                    .isEmpty());
        }

        /** Nodes that few pods have to leave come first: they are preferred among those with equal room. */
        private List<GroupNode> nodes(Predicate<PodFacts> ends) {
            List<NodeUse> fewestFirst = uses.stream()
                    .sorted(Comparator.comparingLong(
                            use -> use.pods().stream().filter(ends).count()))
                    .toList();
            return IntStream.range(0, fewestFirst.size())
                    .mapToObj(at -> {
                        NodeUse use = fewestFirst.get(at);
                        return at < MAX_NODES && use.pods().stream().anyMatch(ends)
                                ? GroupNode.without(use, ends, inTheWay)
                                : GroupNode.now(use, inTheWay);
                    })
                    .toList();
        }
    }

    /**
     * The place with the shortest wait.
     *
     * @param planning plans the group on nodes
     */
    public static Optional<PlannedPlace> find(Basis basis, Function<List<GroupNode>, PlanningResult> planning) {
        Optional<PlannedPlace> best = within(basis, Duration.ofSeconds(Long.MAX_VALUE), planning);
        int low = 0;
        int high = best.isPresent() ? DOUBLINGS : 0;
        while (low < high) {
            int middle = (low + high) / 2;
            Optional<PlannedPlace> found = within(basis, SHORTEST.multipliedBy(1L << middle), planning);
            best = found.isPresent() ? found : best;
            low = found.isPresent() ? low : middle + 1;
            high = found.isPresent() ? middle : high;
        }
        return best;
    }

    private static Optional<PlannedPlace> within(
            Basis basis, Duration time, Function<List<GroupNode>, PlanningResult> planning) {
        Predicate<PodFacts> ends = pod -> basis.ends(pod, time);
        return planning.apply(basis.nodes(ends))
                .plan()
                .map(plan -> new PlannedPlace(
                        plan,
                        basis.uses().stream()
                                .filter(use ->
                                        plan.byNode().containsKey(use.node().name()))
                                .flatMap(use -> use.pods().stream())
                                .filter(ends)
                                .flatMap(pod -> pod.uid().stream())
                                .collect(Collectors.toUnmodifiableSet())));
    }

    /** Whether the place is still possible: the pods will fit it when those that they await have ended. */
    public boolean isPossible(Basis basis) {
        Predicate<PodFacts> ends = pod -> pod.uid().filter(awaited::contains).isPresent();
        return plan.byNode().entrySet().stream()
                .allMatch(node -> basis.uses().stream()
                        .filter(use -> use.node().name().equals(node.getKey()))
                        .anyMatch(use -> takes(GroupNode.without(use, ends, basis.inTheWay()), node.getValue())));
    }

    private static boolean takes(GroupNode node, List<PodFacts> pods) {
        return node.with(pods).isPresent()
                && pods.stream()
                        .allMatch(pod -> pod.constraints()
                                .conflicts(node.name(), node.use().node().constraints())
                                .isEmpty());
    }

    /** How many of the awaited pods have not ended. */
    public int left(List<NodeUse> uses) {
        return (int) uses.stream()
                .flatMap(use -> use.pods().stream())
                .filter(pod -> pod.uid().filter(awaited::contains).isPresent())
                .count();
    }
}
