package io.numaledger.scheduling.group;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodConstraints;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.SchedulingRequest;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Finds a node for each pod of a group, so that all of them run, or as many as have to. Equal pods are counted; others are
 * tried one after the other, with backtracking up to a limit. Thread-safe, unless it is bound to one budget.
 */
public final class GroupPlanner {

    /** The work for one group: some tenths of a second. */
    public static final long GROUP_WORK = 1_000_000;

    private final ClaimLookup claims;
    private final CopyCounts counts;
    private final int maxSteps;
    private final Supplier<EvaluationBudget> budgets;

    /** @param maxSteps how often a pod that does not equal the others is tried on a node, at most */
    public GroupPlanner(ClaimLookup claims, int maxSteps) {
        this(claims, new CopyCounts(), maxSteps, () -> new EvaluationBudget(GROUP_WORK));
    }

    private GroupPlanner(ClaimLookup claims, CopyCounts counts, int maxSteps, Supplier<EvaluationBudget> budgets) {
        this.claims = claims;
        this.counts = counts;
        this.maxSteps = maxSteps;
        this.budgets = budgets;
    }

    /** This planner for searches that have one budget together. */
    public GroupPlanner within(EvaluationBudget budget) {
        return new GroupPlanner(claims, counts, maxSteps, () -> budget);
    }

    /** What searches may cost. */
    public EvaluationBudget budget() {
        return budgets.get();
    }

    /** Equal pods in all that a node decides on: each may take the place of another. */
    private record EqualPods(
            SchedulingRequest request, PodConstraints constraints, Set<String> excluded, List<PodFacts> all) {

        /** The cost of comparing one of them with a node. */
        int cost() {
            return 1 + constraints.terms();
        }

        PodFacts example() {
            return all.get(0);
        }

        boolean mayRunOn(GroupNode node) {
            return !excluded.contains(node.name())
                    && constraints
                            .conflicts(node.name(), node.use().node().constraints())
                            .isEmpty()
                    && node.use().snapshots().waits(example(), request).isEmpty();
        }
    }

    /** Equal pods in requests, claims, constraints and nodes on which they must not run. */
    private record Key(
            SchedulingRequest request, List<Object> claims, PodConstraints constraints, Set<String> excluded) {}

    /**
     * Plans the pods of a group: all of them if they fit, else as many as possible, but not less than have to run.
     *
     * @param members in the order in which they are to be bound
     * @param least how many have to run; 1 or more
     * @param excluded the names of nodes on which a pod must not run, whatever its constraints
     * @throws IllegalArgumentException as a sentence, for a pod with invalid annotations
     */
    public PlanningResult plan(
            List<PodFacts> members, int least, List<GroupNode> nodes, Function<PodFacts, Set<String>> excluded) {
        EvaluationBudget budget = budgets.get();
        if (!budget.take(members.size())) {
            return PlanningResult.ended();
        }
        List<Counted> counted = counted(equalPods(members, excluded), nodes, budget);
        if (budget.isUsedUp()) {
            return PlanningResult.ended();
        }
        if (areApart(counted)) {
            return planApart(counted, least);
        }
        PlanningResult result =
                new MixedGroupSearch(ordered(counted), members.size() - least, maxSteps, budget).search();
        return budget.isUsedUp() && result.plan().isEmpty()
                ? result.with(Optional.of(PlanningResult.WORK_USED_UP))
                : result;
    }

    /**
     * How many of some equal pods nodes take.
     *
     * @param byNode node → 1 or more
     */
    record EqualPodRooms(List<PodFacts> pods, Map<String, Integer> byNode) {}

    /** How many of these pods each node takes, equal pods together. */
    List<EqualPodRooms> rooms(List<PodFacts> members, List<GroupNode> nodes) {
        return counted(equalPods(members, any -> Set.of()), nodes, budgets.get()).stream()
                .map(each -> {
                    Map<String, Integer> byNode = new HashMap<>();
                    each.rooms().forEach(room -> byNode.put(room.node().name(), room.pods()));
                    return new EqualPodRooms(each.pods().all(), byNode);
                })
                .toList();
    }

    /**
     * Equal pods, and where they may run.
     *
     * @param rooms those of the allowed nodes that take some now
     */
    private record Counted(EqualPods pods, List<GroupNode> allowed, List<Room> rooms) {}

    private List<Counted> counted(List<EqualPods> all, List<GroupNode> nodes, EvaluationBudget budget) {
        SelectedNodes selected = new SelectedNodes(nodes, budget);
        return all.stream()
                .map(pods -> counted(pods, selected.by(pods.constraints()), budget))
                .toList();
    }

    private Counted counted(EqualPods pods, List<GroupNode> nodes, EvaluationBudget budget) {
        CopyCounts.OfPods copies = counts.of(pods.all(), pods.request());
        List<GroupNode> allowed = new ArrayList<>();
        List<Room> rooms = new ArrayList<>();
        for (GroupNode node : nodes) {
            if (!budget.take(pods.cost())) {
                return new Counted(pods, List.of(), List.of());
            }
            if (pods.mayRunOn(node)) {
                allowed.add(node);
                int room = copies.on(node, budget);
                if (room > 0) {
                    rooms.add(new Room(node, room));
                }
            }
        }
        return new Counted(pods, allowed, rooms);
    }

    /** Whether no node takes pods that are not equal. */
    private static boolean areApart(List<Counted> all) {
        Set<GroupNode> used = new HashSet<>();
        return all.size() < 2
                || all.stream().flatMap(each -> each.rooms().stream()).allMatch(room -> used.add(room.node()));
    }

    /** Equal pods together. */
    public List<List<PodFacts>> equalPods(List<PodFacts> members) {
        return equalPods(members, any -> Set.of()).stream().map(EqualPods::all).toList();
    }

    private List<EqualPods> equalPods(List<PodFacts> members, Function<PodFacts, Set<String>> excluded) {
        EqualClaims equalClaims = new EqualClaims(claims, members);
        Map<Key, List<PodFacts>> byKey = new LinkedHashMap<>();
        members.forEach(pod -> byKey.computeIfAbsent(
                        new Key(
                                SchedulingRequest.of(pod),
                                equalClaims.key(pod),
                                pod.constraints(),
                                excluded.apply(pod)),
                        any -> new ArrayList<>())
                .add(pod));
        return byKey.entrySet().stream()
                .map(each -> new EqualPods(
                        each.getKey().request(),
                        each.getKey().constraints(),
                        each.getKey().excluded(),
                        each.getValue()))
                .toList();
    }

    /**
     * A node, and how many pods it takes.
     *
     * @param pods 1 or more
     */
    private record Room(GroupNode node, int pods) {}

    private static PlanningResult planApart(List<Counted> all, int least) {
        int placeable = all.stream().mapToInt(GroupPlanner::placeable).sum();
        return new PlanningResult(
                placeable < least
                        ? Optional.empty()
                        : Optional.of(all.stream()
                                .map(each -> filled(each.pods().all().subList(0, placeable(each)), each.rooms()))
                                .reduce(new GroupPlan(Map.of()), GroupPlan::with)),
                placeable,
                false);
    }

    private static int placeable(Counted counted) {
        return Math.min(sum(counted.rooms()), counted.pods().all().size());
    }

    private static int sum(List<Room> rooms) {
        return rooms.stream().mapToInt(Room::pods).sum();
    }

    /** A plan with few nodes: those with the most room first, and for the last pods the one with the least room that suffices. */
    private static GroupPlan filled(List<PodFacts> pods, List<Room> rooms) {
        List<Room> left = new ArrayList<>(rooms);
        left.sort(Comparator.comparingInt(Room::pods)
                .thenComparing(room -> room.node().name()));
        Map<String, List<PodFacts>> byNode = new LinkedHashMap<>();
        int planned = 0;
        while (planned < pods.size()) {
            int rest = pods.size() - planned;
            Room next = left.stream()
                    .filter(room -> room.pods() >= rest)
                    .findFirst()
                    .or(() -> left.stream().max(Comparator.comparingInt(Room::pods)))
                    .orElseThrow();
            left.remove(next);
            int end = planned + Math.min(rest, next.pods());
            byNode.put(next.node().name(), pods.subList(planned, end));
            planned = end;
        }
        return new GroupPlan(byNode);
    }

    /** Pods for which there is the least room come first. */
    private static List<MixedGroupSearch.Member> ordered(List<Counted> all) {
        return all.stream()
                .sorted(Comparator.comparingInt(each -> sum(each.rooms())))
                .flatMap(each -> each.pods().all().stream()
                        .map(pod -> new MixedGroupSearch.Member(
                                pod, each.pods().example().key(), each.allowed())))
                .toList();
    }
}
