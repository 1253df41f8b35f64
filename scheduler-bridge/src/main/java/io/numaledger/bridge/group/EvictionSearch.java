package io.numaledger.bridge.group;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.NodeUse;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds few pods whose eviction makes room for a group: the fewest where not many pods may be evicted, else those that gain the most, node by
 * node. Only groups whose pods are alike are considered. Evicts nobody: a proposal, with its proof. A search is used once.
 */
public final class EvictionSearch {

    /** More pods of one node are not tried together, nor of all nodes where every set is tried. */
    private static final int MAX_TOGETHER = 3;

    /** Of so many pods or whole groups, every set is tried: about 2,300. */
    private static final int MAX_EXHAUSTIVE = 24;

    private static final int MAX_SETS_PER_NODE = 200;

    /** How often other pods are tried when some of a proposal fit nowhere else. */
    private static final int MAX_PROPOSALS = 20;

    private final GroupPlanner planner;
    private final PlanningBudget budget;
    private final List<NodeUse> uses;
    private final List<PodFacts> members;
    private final int needed;
    private final Victims victims;

    /** Pods that turned out to fit nowhere else. */
    private final Set<String> staying = new HashSet<>();

    /**
     * A proposal.
     *
     * @param plan of the group, after the evictions
     */
    public record Proposal(List<Eviction> evictions, GroupPlan plan) {

        public ExpectedPlace place() {
            return new ExpectedPlace(
                    plan,
                    evictions.stream()
                            .flatMap(each -> each.pod().uid().stream())
                            .collect(Collectors.toUnmodifiableSet()));
        }
    }

    /**
     * One of its evictions.
     *
     * @param target where the pod fits afterwards; absent where that was not asked for
     */
    public record Eviction(PodFacts pod, String node, Optional<String> target) {}

    /**
     * Who may be evicted.
     *
     * @param together a pod, and those that have to be evicted with it: for each of them the same list; empty: the pod must stay
     * @param fitElsewhere whether all of them have to fit on other places afterwards
     */
    record Victims(Function<PodFacts, List<PodFacts>> together, boolean fitElsewhere) {

        /** Pods that belong to no group and are tied to nothing, and that fit elsewhere. */
        static final Victims MOVABLE = new Victims(
                pod -> pod.terminating()
                                || pod.group().group().isPresent()
                                || pod.constraints().tied()
                        ? List.of()
                        : List.of(pod),
                true);
    }

    /**
     * Pods of one node.
     *
     * @param gain how many pods of the group more the node takes without them
     */
    private record Gain(NodeUse use, List<PodFacts> pods, int gain) {}

    /** @param needed how many of the members have to run */
    EvictionSearch(GroupPlanner planner, List<NodeUse> uses, List<PodFacts> members, int needed, Victims victims) {
        this.victims = victims;
        this.budget = planner.budget();
        this.planner = planner.within(budget);
        this.uses = uses;
        this.members = members;
        this.needed = needed;
    }

    Optional<Proposal> find() {
        if (planner.kinds(members).size() != 1) {
            return Optional.empty();
        }
        if (!budget.take(uses.stream().mapToLong(use -> use.pods().size()).sum())) {
            return Optional.empty();
        }
        Set<List<PodFacts>> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        List<List<PodFacts>> units = uses.stream()
                .flatMap(use -> use.pods().stream())
                .map(victims.together())
                .filter(unit -> !unit.isEmpty() && seen.add(unit))
                .toList();
        Optional<Proposal> fewest = units.size() <= MAX_EXHAUSTIVE ? fewest(units) : Optional.empty();
        if (fewest.isPresent()) {
            return fewest;
        }
        int missing = needed - placeable();
        for (int attempt = 0; attempt < MAX_PROPOSALS && !budget.isUsedUp(); attempt++) {
            Optional<List<Gain>> cheapest = cheapest(missing);
            if (cheapest.isEmpty()) {
                return Optional.empty();
            }
            Map<String, List<PodFacts>> leaving = new HashMap<>();
            cheapest.get().forEach(each -> leaving.put(each.use().node().name(), each.pods()));
            Optional<Proposal> proposal = proven(leaving);
            if (proposal.isPresent()) {
                return proposal;
            }
            exclude(leaving);
        }
        return Optional.empty();
    }

    private Optional<Proposal> fewest(List<List<PodFacts>> units) {
        List<List<PodFacts>> sets = new ArrayList<>();
        combinations(
                units,
                0,
                new ArrayList<>(),
                set -> sets.add(set.stream().flatMap(List::stream).toList()));
        long reserve = budget.left() / 2;
        return sets.stream()
                .sorted(Comparator.comparingInt(List::size))
                .takeWhile(any -> budget.left() > reserve)
                .map(set -> proven(set.stream()
                        .collect(Collectors.groupingBy(pod -> pod.node().orElse("")))))
                .flatMap(Optional::stream)
                .findFirst();
    }

    private int placeable() {
        return planner.plan(
                        members, needed, uses.stream().map(EvictionSearch::now).toList(), any -> Set.of())
                .placeable();
    }

    private static CandidateNode now(NodeUse use) {
        return CandidateNode.now(use, any -> true);
    }

    private static CandidateNode without(NodeUse use, List<PodFacts> victims) {
        Set<String> keys = new HashSet<>();
        victims.forEach(pod -> keys.add(pod.key()));
        return CandidateNode.without(use, pod -> keys.contains(pod.key()), any -> true);
    }

    /** The fewest pods with which enough is gained: node by node, for each gain the best sets so far. */
    private Optional<List<Gain>> cheapest(int missing) {
        Map<Integer, List<Gain>> best = new HashMap<>(Map.of(0, List.of()));
        long reserve = budget.left() / 2; // for the proof
        for (NodeUse use : uses) {
            if (budget.left() <= reserve) {
                break;
            }
            Map<Integer, List<Gain>> next = new HashMap<>(best);
            for (Gain victims : gains(use)) {
                best.forEach((gain, before) -> {
                    if (!budget.takeNodes(before.size())) {
                        return;
                    }
                    List<Gain> with = new ArrayList<>(before);
                    with.add(victims);
                    next.merge(
                            Math.min(missing, gain + victims.gain()),
                            with,
                            (one, other) -> size(other) < size(one) ? other : one);
                });
            }
            best = next;
        }
        return Optional.ofNullable(best.get(missing));
    }

    private static int size(List<Gain> sets) {
        return sets.stream().mapToInt(each -> each.pods().size()).sum();
    }

    /** For each number of pods, the set that gains the most. */
    private List<Gain> gains(NodeUse use) {
        int before = room(now(use));
        Map<Integer, Gain> bySize = new HashMap<>();
        int[] tried = {0};
        combinations(movable(use), 0, new ArrayList<>(), pods -> {
            if (budget.take(1) && tried[0]++ < MAX_SETS_PER_NODE) {
                int gain = room(without(use, pods)) - before;
                Gain known = bySize.get(pods.size());
                if (gain > 0 && (known == null || gain > known.gain())) {
                    bySize.put(pods.size(), new Gain(use, List.copyOf(pods), gain));
                }
            }
        });
        return List.copyOf(bySize.values());
    }

    /** Those that may be evicted alone. */
    private List<PodFacts> movable(NodeUse use) {
        return use.pods().stream()
                .filter(pod -> victims.together().apply(pod).equals(List.of(pod)) && !staying.contains(pod.key()))
                .toList();
    }

    private <T> void combinations(List<T> of, int from, List<T> chosen, Consumer<List<T>> each) {
        for (int i = from; i < of.size() && chosen.size() < MAX_TOGETHER && !budget.isUsedUp(); i++) {
            chosen.add(of.get(i));
            each.accept(chosen);
            combinations(of, i + 1, chosen, each);
            chosen.remove(chosen.size() - 1);
        }
    }

    private int room(CandidateNode node) {
        return planner.plan(members, 1, List.of(node), any -> Set.of()).placeable();
    }

    /** The group fits without these pods, and then each of them fits somewhere, too, if it has to. */
    private Optional<Proposal> proven(Map<String, List<PodFacts>> leaving) {
        List<CandidateNode> after = uses.stream()
                .map(use -> leaving.containsKey(use.node().name())
                        ? without(use, leaving.getOrDefault(use.node().name(), List.of()))
                        : now(use))
                .toList();
        return planner.plan(members, needed, after, any -> Set.of())
                .plan()
                .flatMap(plan -> evictions(leaving, after, plan).map(found -> new Proposal(found, plan)));
    }

    private Optional<List<Eviction>> evictions(
            Map<String, List<PodFacts>> leaving, List<CandidateNode> after, GroupPlan plan) {
        List<PodFacts> evicted = leaving.values().stream().flatMap(List::stream).toList();
        if (!victims.fitElsewhere()) {
            return Optional.of(sorted(evicted.stream().map(pod -> eviction(pod, Optional.empty()))));
        }
        List<CandidateNode> left = after.stream()
                .flatMap(node -> node.with(plan.on(node.name())).stream())
                .toList();
        return planner.plan(
                        evicted.stream().map(EvictionSearch::unbound).toList(), evicted.size(), left, any -> Set.of())
                .plan()
                .map(moved -> sorted(moved.byNode().entrySet().stream()
                        .flatMap(node ->
                                node.getValue().stream().map(pod -> eviction(pod, Optional.of(node.getKey()))))));
    }

    private static Eviction eviction(PodFacts pod, Optional<String> target) {
        return new Eviction(pod, pod.node().orElse(""), target);
    }

    private static List<Eviction> sorted(Stream<Eviction> evictions) {
        return evictions
                .sorted(Comparator.comparing(Eviction::node)
                        .thenComparing(each -> each.pod().key()))
                .toList();
    }

    /** One of these pods is not moved: one that fits nowhere else now, if there is one. */
    private void exclude(Map<String, List<PodFacts>> leaving) {
        leaving.values().stream()
                .flatMap(List::stream)
                .min(Comparator.comparingInt(pod -> planner.plan(
                                List.of(unbound(pod)),
                                1,
                                uses.stream().map(EvictionSearch::now).toList(),
                                any -> Set.of())
                        .placeable()))
                .ifPresent(pod -> staying.add(pod.key()));
    }

    /** What it asks of its new node; nothing that was observed on the old one. */
    private static PodFacts unbound(PodFacts pod) {
        return pod.withoutRecords();
    }
}
