package io.numaledger.bridge.group;

import io.numaledger.bridge.group.EvictionSearch.Eviction;
import io.numaledger.bridge.group.EvictionSearch.Proposal;
import io.numaledger.bridge.group.EvictionSearch.Victims;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroupName;
import io.numaledger.bridge.objects.UnmodelledConstraint;
import io.numaledger.bridge.preemption.DisruptionBudgets;
import io.numaledger.bridge.preemption.ProvenNodes;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeUse;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Finds pods of lower priority whose end makes room for a gated group: of the lowest priorities that suffice, and few. The pods of another
 * group end together. Disruption budgets are never violated. Nobody is evicted for pods that kube-scheduler may refuse afterwards.
 */
public final class GroupPreemption {

    /** So many pods are compared with a label selector at the cost of one unit of work. */
    private static final int LABELS_COMPARED = 8;

    private final ClusterState cluster;
    private final Supplier<DisruptionBudgets> budgets;

    public GroupPreemption(ClusterState cluster, Supplier<DisruptionBudgets> budgets) {
        this.cluster = cluster;
        this.budgets = budgets;
    }

    /**
     * A proposal; empty if there is none.
     *
     * @param members that wait; the lowest of their priorities counts
     * @param needed how many of them have to run
     */
    public Optional<Proposal> find(GroupPlanner planner, List<NodeUse> all, List<PodFacts> members, int needed) {
        PodFacts least = members.stream()
                .min(Comparator.comparingInt(pod -> pod.priority().value()))
                .orElseThrow();
        int priority = least.priority().value();
        PlanningBudget budget = planner.budget();
        if (!budget.take(antiAffinities(all) * members.size() / LABELS_COMPARED)) {
            return Optional.empty();
        }
        List<NodeUse> uses = ProvenNodes.of(all, members).stream()
                .filter(use -> cluster.reserved().nominatedBefore(least, use.node().name()).isEmpty())
                .toList();
        List<Integer> lower = uses.stream()
                .flatMap(use -> use.pods().stream())
                .map(pod -> pod.priority().value())
                .filter(value -> value < priority)
                .distinct()
                .sorted()
                .toList();
        GroupPlanner within = planner.within(budget);
        return lower.stream()
                .takeWhile(any -> !budget.isUsedUp())
                .map(highest ->
                        new EvictionSearch(within, uses, members, needed, new Victims(unit(highest), false)).find())
                .flatMap(Optional::stream)
                .filter(this::isAllowed)
                .findFirst();
    }

    /** How many different ones running pods have. */
    private static long antiAffinities(List<NodeUse> uses) {
        return uses.stream()
                .flatMap(use -> use.pods().stream())
                .map(pod -> pod.constraints().antiAffinity())
                .filter(terms -> !terms.isEmpty())
                .distinct()
                .count();
    }

    /** Why nobody is evicted for these pods, whatever their priority: as a sentence. */
    public static Optional<String> obstacle(List<PodFacts> members) {
        Set<UnmodelledConstraint> constraints = EnumSet.noneOf(UnmodelledConstraint.class);
        members.forEach(pod -> constraints.addAll(pod.constraints().unmodelled()));
        return constraints.isEmpty()
                ? Optional.empty()
                : Optional.of("nobody is evicted for it, because plans do not consider what its pods have: %s"
                        .formatted(UnmodelledConstraint.text(constraints)));
    }

    /**
     * Those that end together.
     *
     * @param highest the priority that none of them exceeds
     */
    private Function<PodFacts, List<PodFacts>> unit(int highest) {
        Map<PodGroupName, List<PodFacts>> groups = new HashMap<>();
        return pod -> pod.terminating()
                ? List.of()
                : pod.group()
                        .group()
                        .map(name -> groups.computeIfAbsent(name, any -> upTo(highest, running(name))))
                        .orElseGet(() -> upTo(highest, List.of(pod)));
    }

    private static List<PodFacts> upTo(int highest, List<PodFacts> together) {
        return together.stream().allMatch(each -> each.priority().value() <= highest) ? together : List.of();
    }

    private List<PodFacts> running(PodGroupName group) {
        return cluster.groupMembers(group).stream()
                .filter(member -> member.node().isPresent())
                .toList();
    }

    private boolean isAllowed(Proposal proposal) {
        return budgets.get()
                        .violations(proposal.evictions().stream()
                                .map(Eviction::pod)
                                .sorted(Comparator.comparing(PodFacts::key))
                                .toList())
                == 0;
    }
}
