package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.gated.GatedGroup.Choice;
import io.numaledger.scheduling.group.DomainTrees;
import io.numaledger.scheduling.group.EvictionSearch.Proposal;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.GroupPreemption;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.group.PodGroups;
import io.numaledger.scheduling.group.TopologyPlanner;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Precedence;
import io.numaledger.scheduling.state.Reservation;

import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Plans one gated group after the other: on the nodes as they are, after releases, and without pods of lower priority. Reserves nothing.
 * Not thread-safe.
 */
final class GatedGroupPlanner {

    private static final int MAX_STEPS = 3_000;

    private final PodGroups groups;
    private final Optional<GroupPreemption> preemption;
    private final GroupPlanner counted;
    private final DomainTrees trees = new DomainTrees();

    /** The planner with the budget of the group that is planned now. */
    private GroupPlanner planner;

    /** @param preemption absent: no pods are evicted for groups of higher priority */
    GatedGroupPlanner(ClaimLookup claims, PodGroups groups, Optional<GroupPreemption> preemption) {
        this.counted = new GroupPlanner(claims, MAX_STEPS);
        this.planner = counted;
        this.groups = groups;
        this.preemption = preemption;
    }

    /** The budget of the group that is planned now. */
    EvaluationBudget budget() {
        return planner.budget();
    }

    /** @param budget of all searches for the next group */
    void begin(EvaluationBudget budget) {
        planner = counted.within(budget);
    }

    /** Plans a group on the nodes as they are. */
    PlanningResult now(GatedGroup members, GroupProgress progress, List<NodeUse> uses) {
        Predicate<Reservation> inTheWay = isInTheWayOf(members);
        List<GroupNode> nodes = usable(progress, uses).stream()
                .map(use -> GroupNode.now(use, inTheWay))
                .toList();
        return plan(members, uses, nodes, members.choices());
    }

    /** Nobody has to be evicted for a group that only waits for pods to end. False, too, if nobody is ever evicted. */
    boolean fitsSoon(GatedGroup members, GroupProgress progress, List<NodeUse> uses) {
        if (preemption.isEmpty()) {
            return false;
        }
        Predicate<Reservation> inTheWay = isInTheWayOf(members);
        List<GroupNode> nodes = usable(progress, uses).stream()
                .map(use -> use.pods().stream().anyMatch(PodFacts::terminating)
                        ? GroupNode.without(use, any -> false, inTheWay)
                        : GroupNode.now(use, inTheWay))
                .toList();
        return plan(members, uses, nodes, members.choices()).plan().isPresent();
    }

    /** The first choice that fits; else what is known of the last one. */
    PlanningResult plan(GatedGroup members, List<NodeUse> uses, List<GroupNode> nodes, List<Choice> choices) {
        Optional<TopologyPlanner> domains = domains(members, uses);
        PlanningResult result = new PlanningResult(Optional.empty(), 0, false);
        for (Choice choice : choices) {
            result = domains.isPresent()
                    ? domains.get().plan(choice.pods(), choice.least(), nodes)
                    : planner.plan(choice.pods(), choice.least(), nodes, any -> Set.of());
            if (result.plan().isPresent()) {
                return result;
            }
        }
        return result;
    }

    /** The planner by topology levels; absent for a group without topology levels. */
    private Optional<TopologyPlanner> domains(GatedGroup members, List<NodeUse> uses) {
        return members.topology(groups.get(members.name()), groups.topologies())
                .map(request ->
                        new TopologyPlanner(planner, request, trees.of(request.levels(), uses), members.nodes()));
    }

    /** Whom to evict for a group; absent: nobody may be, or that does not help. */
    Optional<Proposal> proposal(GatedGroup members, GroupProgress progress, List<NodeUse> uses) {
        Choice fewest = members.choices().get(members.choices().size() - 1);
        List<NodeUse> usable = usable(progress, uses);
        return preemption
                .filter(any -> mayPreempt(members))
                .flatMap(search -> domainsToPreempt(members, uses).stream()
                        .map(nodes -> search.find(
                                planner,
                                usable.stream()
                                        .filter(use -> nodes.contains(use.node().name()))
                                        .toList(),
                                fewest.pods(),
                                fewest.least()))
                        .flatMap(Optional::stream)
                        .min(Comparator.comparingInt(
                                found -> found.victims().pods().size())));
    }

    /** Whether pods may be evicted for it. */
    boolean mayPreempt(GatedGroup members) {
        return preemption.isPresent()
                && members.gated().stream().allMatch(pod -> pod.priority().preempts());
    }

    /** Sets of nodes, one of which has to take the group. */
    private List<Set<String>> domainsToPreempt(GatedGroup members, List<NodeUse> uses) {
        return domains(members, uses)
                .map(TopologyPlanner::domainsToPreempt)
                .orElseGet(() ->
                        List.of(uses.stream().map(use -> use.node().name()).collect(Collectors.toSet())));
    }

    static List<NodeUse> usable(GroupProgress progress, List<NodeUse> uses) {
        return !progress.hasBarred()
                ? uses
                : uses.stream()
                        .filter(use -> !progress.isBarred(use.node().name()))
                        .toList();
    }

    /** Pods that go before the group, and its own that are released. */
    static Predicate<Reservation> isInTheWayOf(GatedGroup members) {
        Predicate<Reservation> ofOthers = Precedence.beforeGroup(members.gated());
        Set<String> released = new HashSet<>();
        members.released().forEach(pod -> released.add(pod.key()));
        return planned -> planned.pod().group().group().equals(Optional.of(members.name()))
                ? released.contains(planned.pod().key())
                : ofOthers.test(planned);
    }
}
