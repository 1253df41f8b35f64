package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroupName;
import io.numaledger.evaluation.facts.UnmodelledConstraint;
import io.numaledger.scheduling.group.EvictionSearch.Evictable;
import io.numaledger.scheduling.group.EvictionSearch.Proposal;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.ProvenNodes;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Precedence;
import io.numaledger.scheduling.state.Reservation;

import java.util.Comparator;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

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
        EvaluationBudget budget = planner.budget();
        if (!budget.take(antiAffinities(all) * members.size() / LABELS_COMPARED)) {
            return Optional.empty();
        }
        List<NodeUse> uses = ProvenNodes.of(all, members).stream()
                .filter(use -> cluster.reserved()
                        .nominatedBefore(least, use.node().name())
                        .isEmpty())
                .toList();
        List<List<PodFacts>> units = units(uses);
        GroupPlanner within = planner.within(budget);
        DisruptionBudgets now = budgets.get();
        NavigableSet<Integer> lower = units.stream()
                .map(GroupPreemption::priority)
                .collect(Collectors.toCollection(TreeSet::new))
                .headSet(priority, false);
        return lower.stream()
                .takeWhile(any -> !budget.isUsedUp())
                .map(highest -> new Evictable(
                        units.stream().filter(unit -> priority(unit) <= highest).toList(), false, now))
                .filter(level -> lower.size() == 1 || suffices(level, within, uses, members, needed))
                .flatMap(level -> new EvictionSearch(within, uses, members, needed, level).find().stream())
                .filter(proposal -> proposal.victims().violations() == 0)
                .findFirst();
    }

    /** Whether the group fits if all of them end: else the work is left for pods of higher priority. */
    private static boolean suffices(
            Evictable level, GroupPlanner planner, List<NodeUse> uses, List<PodFacts> members, int needed) {
        Set<String> keys =
                level.units().stream().flatMap(List::stream).map(PodFacts::key).collect(Collectors.toSet());
        Predicate<Reservation> inTheWay = Precedence.beforeGroup(members);
        PlanningResult all = planner.plan(
                members,
                needed,
                uses.stream()
                        .map(use -> GroupNode.without(use, pod -> keys.contains(pod.key()), inTheWay))
                        .toList(),
                any -> Set.of());
        return all.plan().isPresent() || all.cutOff();
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

    /** Pods that end together: alone, or with all of their group that run. */
    private List<List<PodFacts>> units(List<NodeUse> uses) {
        Map<Optional<PodGroupName>, List<PodFacts>> running = uses.stream()
                .flatMap(use -> use.pods().stream())
                .filter(pod -> !pod.terminating())
                .collect(Collectors.groupingBy(pod -> pod.group().group(), LinkedHashMap::new, Collectors.toList()));
        return running.entrySet().stream()
                .flatMap(each -> each.getKey()
                        .map(group -> Stream.of(running(group)))
                        .orElseGet(() -> each.getValue().stream().map(List::of)))
                .toList();
    }

    private static int priority(List<PodFacts> unit) {
        return unit.stream().mapToInt(pod -> pod.priority().value()).max().orElse(Integer.MAX_VALUE);
    }

    private List<PodFacts> running(PodGroupName group) {
        return cluster.pods().ofGroup(group).stream()
                .filter(member -> member.node().isPresent())
                .toList();
    }
}
