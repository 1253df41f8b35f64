package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.preemption.LeftOutNamespaces;

import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;

/**
 * The order in which groups are planned: by priority; between equal ones round robin among namespaces; within a namespace by age. A round is
 * bounded, and so is what a namespace may use of it, whatever the priority of its groups: the others of its groups are planned in the next
 * round. A namespace for which nothing was left comes first in the next round. Not thread-safe.
 */
final class PlanningRounds {

    /** A namespace may begin another group until it has used this in a round. */
    private static final long NAMESPACE_WORK = GroupPlanner.GROUP_WORK;

    /** The work of a round after which no other group is begun. */
    private static final long ROUND_WORK = 2 * GroupPlanner.GROUP_WORK;

    /** Groups that were planned in the rounds since all groups of their namespace were. */
    private final Set<PodGroupName> planned = new HashSet<>();

    private final LeftOutNamespaces namespaces = new LeftOutNamespaces();

    /** @param position among the groups of its namespace that have its priority */
    private record Place(GatedGroup group, boolean isPlanned, int priority, int position, int leftOut) {

        /** First those for which nothing was left the longest. */
        static final Comparator<Place> ORDER = Comparator.comparingInt((Place each) -> -each.leftOut())
                .thenComparing(Place::isPlanned)
                .thenComparing(each -> -each.priority())
                .thenComparing(Place::position)
                .thenComparing(Place::group, BY_AGE);
    }

    private static final Comparator<GatedGroup> BY_AGE =
            Comparator.comparing(GatedGroup::first, PodFacts.BY_AGE).thenComparing(GatedGroup::name);

    /** Plans some of these groups, each with its budget. */
    void plan(List<GatedGroup> groups, BiConsumer<GatedGroup, EvaluationBudget> plan) {
        forget(groups);
        Map<String, Long> used = new HashMap<>();
        long round = 0;
        for (Place place : ordered(groups)) {
            String namespace = place.group().name().namespace();
            if (round < ROUND_WORK && used.getOrDefault(namespace, 0L) < NAMESPACE_WORK) {
                EvaluationBudget budget = new EvaluationBudget(GroupPlanner.GROUP_WORK);
                plan.accept(place.group(), budget);
                planned.add(place.group().name());
                used.merge(namespace, budget.used(), Long::sum);
                round += budget.used();
            }
        }
        namespaces.ended(
                groups.stream().map(group -> group.name().namespace()).collect(Collectors.toSet()), used.keySet());
    }

    private void forget(List<GatedGroup> groups) {
        Set<PodGroupName> names = new HashSet<>();
        Set<String> unfinished = new HashSet<>();
        groups.forEach(group -> {
            names.add(group.name());
            if (!planned.contains(group.name())) {
                unfinished.add(group.name().namespace());
            }
        });
        planned.removeIf(name -> !names.contains(name) || !unfinished.contains(name.namespace()));
    }

    private List<Place> ordered(List<GatedGroup> groups) {
        Map<List<Object>, Integer> positions = new HashMap<>();
        return groups.stream()
                .sorted(BY_AGE)
                .map(group -> {
                    String namespace = group.name().namespace();
                    int priority = group.priority();
                    boolean isPlanned = planned.contains(group.name());
                    return new Place(
                            group,
                            isPlanned,
                            priority,
                            positions.merge(List.of(namespace, priority, isPlanned), 1, Integer::sum),
                            namespaces.leftOut(namespace));
                })
                .sorted(Place.ORDER)
                .toList();
    }
}
