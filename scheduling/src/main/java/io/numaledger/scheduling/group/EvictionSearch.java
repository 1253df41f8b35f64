package io.numaledger.scheduling.group;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.preemption.Departures;
import io.numaledger.scheduling.preemption.Departures.Gain;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.SearchLimit;
import io.numaledger.scheduling.preemption.Victims;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Precedence;
import io.numaledger.scheduling.state.Reservation;

import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds few pods whose eviction makes room for a group: the fewest where not many pods may be evicted, else those that gain the most, node by
 * node. Only groups whose pods are all equal are considered. Evicts nobody: a proposal, with its proof. A search is used once.
 */
public final class EvictionSearch {

    /** The most pods that are tried together: of one node, and of all nodes where every set is tried. */
    private static final int MAX_TOGETHER = 3;

    /** Every set of at most {@link #MAX_TOGETHER} is tried among up to so many pods or whole groups: about 2,300 sets. */
    private static final int MAX_EXHAUSTIVE = 24;

    private static final int MAX_SETS_PER_NODE = 200;

    /** How often other pods are tried when some of a proposal fit nowhere else. */
    private static final int MAX_PROPOSALS = 20;

    private final GroupPlanner planner;
    private final EvaluationBudget budget;
    private final List<NodeUse> uses;
    private final List<PodFacts> members;
    private final int needed;
    private final Evictable evictable;
    private final Predicate<Reservation> inTheWay;

    /** Node → its pods that may be evicted alone. */
    private final Map<String, List<PodFacts>> alone;

    /** Pods that turned out to fit nowhere else. */
    private final Set<String> staying = new HashSet<>();

    /**
     * A proposal.
     *
     * @param plan of the group, after the evictions
     * @param moved where the victims fit then, too; empty where they need not
     */
    public record Proposal(Victims victims, GroupPlan plan, GroupPlan moved) {

        public PlannedPlace place() {
            return new PlannedPlace(
                    plan,
                    victims.pods().stream().flatMap(pod -> pod.uid().stream()).collect(Collectors.toUnmodifiableSet()));
        }
    }

    /**
     * Who may be evicted.
     *
     * @param units pods that have to be evicted together
     * @param fitElsewhere whether all of them have to fit on other places afterwards
     */
    record Evictable(List<List<PodFacts>> units, boolean fitElsewhere, DisruptionBudgets budgets) {

        /** Pods that belong to no group and are tied to nothing, and that fit elsewhere. */
        static Evictable movable(List<NodeUse> uses) {
            return new Evictable(
                    uses.stream()
                            .flatMap(use -> use.pods().stream())
                            .filter(pod -> !pod.terminating()
                                    && pod.group().group().isEmpty()
                                    && !pod.constraints().tied())
                            .map(List::of)
                            .toList(),
                    true,
                    DisruptionBudgets.NONE);
        }
    }

    /** @param needed how many of the members have to run */
    EvictionSearch(GroupPlanner planner, List<NodeUse> uses, List<PodFacts> members, int needed, Evictable evictable) {
        this.evictable = evictable;
        this.alone = evictable.units().stream()
                .filter(unit -> unit.size() == 1)
                .map(unit -> unit.get(0))
                .collect(Collectors.groupingBy(pod -> pod.node().orElse("")));
        this.budget = planner.budget();
        this.planner = planner.within(budget);
        this.uses = uses;
        this.members = members;
        this.needed = needed;
        // Pods that move leave the room of all others alone.
        this.inTheWay = evictable.fitElsewhere() ? any -> true : Precedence.beforeGroup(members);
    }

    Optional<Proposal> find() {
        if (planner.equalPods(members).size() != 1
                || !budget.take(
                        uses.stream().mapToLong(use -> use.pods().size()).sum())) {
            return Optional.empty();
        }
        return fewest().or(this::mostGaining);
    }

    private Optional<Proposal> fewest() {
        if (evictable.units().size() > MAX_EXHAUSTIVE) {
            return Optional.empty();
        }
        long reserve = budget.left() / 2;
        return new Departures<>(MAX_TOGETHER, evictable.units(), () -> true)
                .sets()
                .map(set -> set.stream().flatMap(List::stream).toList())
                .sorted(Comparator.comparingInt(List::size))
                .takeWhile(any -> budget.left() > reserve)
                .flatMap(set -> proven(set).stream())
                .findFirst();
    }

    private Optional<Proposal> mostGaining() {
        int missing =
                needed - planner.plan(members, needed, now(), any -> Set.of()).placeable();
        for (int attempt = 0; attempt < MAX_PROPOSALS && !budget.isUsedUp(); attempt++) {
            Optional<List<PodFacts>> leaving = cheapest(missing);
            Optional<Proposal> proposal = leaving.flatMap(this::proven);
            if (leaving.isEmpty() || proposal.isPresent()) {
                return proposal;
            }
            exclude(leaving.get());
        }
        return Optional.empty();
    }

    private List<GroupNode> now() {
        return uses.stream().map(this::now).toList();
    }

    private GroupNode now(NodeUse use) {
        return GroupNode.now(use, inTheWay);
    }

    private GroupNode without(NodeUse use, List<PodFacts> victims) {
        Set<String> keys = victims.stream().map(PodFacts::key).collect(Collectors.toSet());
        return GroupNode.without(use, pod -> keys.contains(pod.key()), inTheWay);
    }

    /** The fewest pods with which enough is gained: node by node, for each gain the best set so far. */
    private Optional<List<PodFacts>> cheapest(int missing) {
        Map<Integer, List<PodFacts>> best = new HashMap<>(Map.of(0, List.of()));
        long reserve = budget.left() / 2; // for the proof
        for (NodeUse use : uses) {
            if (budget.left() <= reserve) {
                break;
            }
            Map<Integer, List<PodFacts>> next = new HashMap<>(best);
            for (Gain<PodFacts> more : gains(use)) {
                best.forEach((gain, before) -> {
                    if (budget.takeNodes(before.size())) {
                        next.merge(
                                Math.min(missing, gain + more.gain()),
                                Stream.concat(before.stream(), more.leaving().stream())
                                        .toList(),
                                (one, other) -> other.size() < one.size() ? other : one);
                    }
                });
            }
            best = next;
        }
        return Optional.ofNullable(best.get(missing));
    }

    /** The sets of pods that gain the most, one for each number of pods. */
    private Collection<Gain<PodFacts>> gains(NodeUse use) {
        int before = room(now(use));
        List<PodFacts> leaving = alone.getOrDefault(use.node().name(), List.of()).stream()
                .filter(pod -> !staying.contains(pod.key()))
                .toList();
        SearchLimit limit = new SearchLimit(MAX_SETS_PER_NODE);
        Map<Integer, Gain<PodFacts>> bySize = new HashMap<>();
        new Departures<>(MAX_TOGETHER, leaving, () -> limit.take() && budget.take(1))
                .gains(pods -> room(without(use, pods)) - before)
                .forEach(found -> bySize.merge(
                        found.leaving().size(), found, (one, other) -> other.gain() > one.gain() ? other : one));
        return bySize.values();
    }

    private int room(GroupNode node) {
        return planner.plan(members, 1, List.of(node), any -> Set.of()).placeable();
    }

    /** The group fits without these pods, and then each of them fits somewhere, too, if it has to. */
    private Optional<Proposal> proven(List<PodFacts> leaving) {
        Set<String> changed =
                leaving.stream().flatMap(pod -> pod.node().stream()).collect(Collectors.toSet());
        List<GroupNode> after = uses.stream()
                .map(use -> changed.contains(use.node().name()) ? without(use, leaving) : now(use))
                .toList();
        return planner.plan(members, needed, after, any -> Set.of())
                .plan()
                .flatMap(plan -> moved(leaving, after, plan)
                        .map(moved -> new Proposal(Victims.of(leaving, evictable.budgets()), plan, moved)));
    }

    private Optional<GroupPlan> moved(List<PodFacts> leaving, List<GroupNode> after, GroupPlan plan) {
        if (!evictable.fitElsewhere()) {
            return Optional.of(new GroupPlan(Map.of()));
        }
        List<GroupNode> left = after.stream()
                .flatMap(node -> node.with(plan.on(node.name())).stream())
                .toList();
        List<PodFacts> anew = leaving.stream().map(PodFacts::withoutRecords).toList();
        return planner.plan(anew, anew.size(), left, any -> Set.of()).plan();
    }

    /** One of these pods is not moved: one that fits nowhere else now, if there is one. */
    private void exclude(List<PodFacts> leaving) {
        List<GroupNode> nodes = now();
        leaving.stream()
                .min(Comparator.comparingInt(
                        pod -> planner.plan(List.of(pod.withoutRecords()), 1, nodes, any -> Set.of())
                                .placeable()))
                .ifPresent(pod -> staying.add(pod.key()));
    }
}
