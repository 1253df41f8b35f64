package io.numaledger.scheduling.group;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodConstraints;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PodShape;

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
 * Finds a node for each pod of a group, so that all of them run, or as many as have to. Pods that are alike are counted; pods that are
 * not are tried one after the other, with backtracking up to a limit. Thread-safe, unless it is bound to one budget.
 */
public final class GroupPlanner {

    /** The work for one group: some tenths of a second. */
    public static final long GROUP_WORK = 1_000_000;

    private final ClaimLookup claims;
    private final CopyCounts counts;
    private final int maxSteps;
    private final Supplier<EvaluationBudget> budgets;

    /** @param maxSteps how often a pod that is not like the others is tried on a node, at most */
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

    /** Pods that are alike: each may take the place of another. */
    private record Kind(PodShape shape, PodConstraints constraints, Set<String> excluded, List<PodFacts> pods) {

        /** The cost of comparing a pod of this kind with a node. */
        int cost() {
            return 1 + constraints.terms();
        }

        PodFacts example() {
            return pods.get(0);
        }

        boolean mayRunOn(GroupNode node) {
            return !excluded.contains(node.name())
                    && constraints
                            .conflicts(node.name(), node.use().node().constraints())
                            .isEmpty()
                    && node.use().snapshots().waits(example(), shape).isEmpty();
        }
    }

    private record KindKey(PodShape shape, List<Object> claims, PodConstraints constraints, Set<String> excluded) {}

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
        List<Counted> counted = counted(kinds(members, excluded), nodes, budget);
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
     * How many pods nodes take of those that are alike.
     *
     * @param byNode node → 1 or more
     */
    record KindRooms(List<PodFacts> pods, Map<String, Integer> byNode) {}

    /** How many of these pods each node takes, kind by kind. */
    List<KindRooms> rooms(List<PodFacts> members, List<GroupNode> nodes) {
        return counted(kinds(members, any -> Set.of()), nodes, budgets.get()).stream()
                .map(each -> {
                    Map<String, Integer> byNode = new HashMap<>();
                    each.rooms().forEach(room -> byNode.put(room.node().name(), room.pods()));
                    return new KindRooms(each.kind().pods(), byNode);
                })
                .toList();
    }

    /**
     * Pods that are alike, and where they may run.
     *
     * @param rooms those of the allowed nodes that take some now
     */
    private record Counted(Kind kind, List<GroupNode> allowed, List<Room> rooms) {}

    private List<Counted> counted(List<Kind> kinds, List<GroupNode> nodes, EvaluationBudget budget) {
        SelectedNodes selected = new SelectedNodes(nodes, budget);
        return kinds.stream()
                .map(kind -> counted(kind, selected.by(kind.constraints()), budget))
                .toList();
    }

    private Counted counted(Kind kind, List<GroupNode> nodes, EvaluationBudget budget) {
        CopyCounts.OfPods copies = counts.of(kind.pods(), kind.shape());
        List<GroupNode> allowed = new ArrayList<>();
        List<Room> rooms = new ArrayList<>();
        for (GroupNode node : nodes) {
            if (!budget.take(kind.cost())) {
                return new Counted(kind, List.of(), List.of());
            }
            if (kind.mayRunOn(node)) {
                allowed.add(node);
                int pods = copies.on(node, budget);
                if (pods > 0) {
                    rooms.add(new Room(node, pods));
                }
            }
        }
        return new Counted(kind, allowed, rooms);
    }

    /** Whether no node takes pods of two kinds. */
    private static boolean areApart(List<Counted> kinds) {
        Set<GroupNode> used = new HashSet<>();
        return kinds.size() < 2
                || kinds.stream().flatMap(each -> each.rooms().stream()).allMatch(room -> used.add(room.node()));
    }

    /** The pods that are alike, together. */
    public List<List<PodFacts>> kinds(List<PodFacts> members) {
        return kinds(members, any -> Set.of()).stream().map(Kind::pods).toList();
    }

    private List<Kind> kinds(List<PodFacts> members, Function<PodFacts, Set<String>> excluded) {
        AlikeClaims alike = new AlikeClaims(claims, members);
        Map<KindKey, List<PodFacts>> byKind = new LinkedHashMap<>();
        members.forEach(pod -> byKind.computeIfAbsent(
                        new KindKey(PodShape.of(pod), alike.key(pod), pod.constraints(), excluded.apply(pod)),
                        any -> new ArrayList<>())
                .add(pod));
        return byKind.entrySet().stream()
                .map(each -> new Kind(
                        each.getKey().shape(),
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

    private static PlanningResult planApart(List<Counted> kinds, int least) {
        int placeable = kinds.stream().mapToInt(GroupPlanner::placeable).sum();
        return new PlanningResult(
                placeable < least
                        ? Optional.empty()
                        : Optional.of(kinds.stream()
                                .map(each -> filled(each.kind().pods().subList(0, placeable(each)), each.rooms()))
                                .reduce(new GroupPlan(Map.of()), GroupPlan::with)),
                placeable,
                false);
    }

    private static int placeable(Counted kind) {
        return Math.min(sum(kind.rooms()), kind.kind().pods().size());
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
    private static List<MixedGroupSearch.Member> ordered(List<Counted> kinds) {
        return kinds.stream()
                .sorted(Comparator.comparingInt(each -> sum(each.rooms())))
                .flatMap(each -> each.kind().pods().stream()
                        .map(pod -> new MixedGroupSearch.Member(
                                pod, each.kind().example().key(), each.allowed())))
                .toList();
    }
}
