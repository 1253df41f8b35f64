package io.numaledger.bridge.group;

import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.state.NodeUse;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * Finds few pods whose eviction makes room for a group, all of which fit on other places afterwards: the fewest where not many pods may be
 * moved, else those that gain the most, node by node. Only groups whose pods are alike are considered. Evicts nobody: a proposal, with its
 * proof. A search is used once.
 */
final class EvictionSearch {

    /** More pods of one node are not tried together, nor of all nodes where every set is tried. */
    private static final int MAX_TOGETHER = 3;

    /** Of so many pods, every set is tried: about 2,300. */
    private static final int MAX_EXHAUSTIVE = 24;

    private static final int MAX_SETS_PER_NODE = 200;

    /** How often other pods are tried when some of a proposal fit nowhere else. */
    private static final int MAX_PROPOSALS = 20;

    private final GroupPlanner planner;
    private final List<NodeUse> uses;
    private final List<PodFacts> members;
    private final int needed;

    /** Pods that turned out to fit nowhere else. */
    private final Set<String> staying = new HashSet<>();

    /**
     * A proposal.
     *
     * @param plan of the group, after the evictions
     */
    record Proposal(List<Eviction> evictions, GroupPlan plan) {}

    /**
     * One of its evictions.
     *
     * @param target where the pod fits afterwards
     */
    record Eviction(PodFacts pod, String node, String target) {}

    /**
     * Pods of one node.
     *
     * @param gain how many pods of the group more the node takes without them
     */
    private record Victims(NodeUse use, List<PodFacts> pods, int gain) {}

    /** @param needed how many of the members have to run */
    EvictionSearch(GroupPlanner planner, List<NodeUse> uses, List<PodFacts> members, int needed) {
        this.planner = planner;
        this.uses = uses;
        this.members = members;
        this.needed = needed;
    }

    Optional<Proposal> find() {
        if (planner.kinds(members) != 1) {
            return Optional.empty();
        }
        List<PodFacts> movable =
                uses.stream().flatMap(use -> movable(use).stream()).toList();
        if (movable.size() <= MAX_EXHAUSTIVE) {
            Optional<Proposal> fewest = fewest(movable);
            if (fewest.isPresent()) {
                return fewest;
            }
        }
        int missing = needed - placeable();
        for (int attempt = 0; attempt < MAX_PROPOSALS; attempt++) {
            Optional<List<Victims>> cheapest = cheapest(missing);
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

    private Optional<Proposal> fewest(List<PodFacts> movable) {
        List<List<PodFacts>> sets = new ArrayList<>();
        combinations(movable, 0, new ArrayList<>(), set -> sets.add(List.copyOf(set)));
        return sets.stream()
                .sorted(Comparator.comparingInt(List::size))
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
    private Optional<List<Victims>> cheapest(int missing) {
        Map<Integer, List<Victims>> best = new HashMap<>(Map.of(0, List.of()));
        for (NodeUse use : uses) {
            Map<Integer, List<Victims>> next = new HashMap<>(best);
            for (Victims victims : victims(use)) {
                best.forEach((gain, before) -> {
                    List<Victims> with = new ArrayList<>(before);
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

    private static int size(List<Victims> sets) {
        return sets.stream().mapToInt(each -> each.pods().size()).sum();
    }

    /** For each number of pods, the set that gains the most. */
    private List<Victims> victims(NodeUse use) {
        int before = room(now(use));
        Map<Integer, Victims> bySize = new HashMap<>();
        int[] tried = {0};
        combinations(movable(use), 0, new ArrayList<>(), pods -> {
            if (tried[0]++ < MAX_SETS_PER_NODE) {
                int gain = room(without(use, pods)) - before;
                Victims known = bySize.get(pods.size());
                if (gain > 0 && (known == null || gain > known.gain())) {
                    bySize.put(pods.size(), new Victims(use, List.copyOf(pods), gain));
                }
            }
        });
        return List.copyOf(bySize.values());
    }

    private List<PodFacts> movable(NodeUse use) {
        return use.pods().stream()
                .filter(pod -> !pod.terminating()
                        && pod.group().group().isEmpty()
                        && !pod.constraints().tied()
                        && !staying.contains(pod.key()))
                .toList();
    }

    private static void combinations(
            List<PodFacts> pods, int from, List<PodFacts> chosen, Consumer<List<PodFacts>> each) {
        for (int i = from; i < pods.size() && chosen.size() < MAX_TOGETHER; i++) {
            chosen.add(pods.get(i));
            each.accept(chosen);
            combinations(pods, i + 1, chosen, each);
            chosen.remove(chosen.size() - 1);
        }
    }

    private int room(CandidateNode node) {
        return planner.plan(members, 1, List.of(node), any -> Set.of()).placeable();
    }

    /** The group fits without these pods, and then each of them fits somewhere, too. */
    private Optional<Proposal> proven(Map<String, List<PodFacts>> leaving) {
        List<CandidateNode> after = uses.stream()
                .map(use -> leaving.containsKey(use.node().name())
                        ? without(use, leaving.getOrDefault(use.node().name(), List.of()))
                        : now(use))
                .toList();
        Optional<GroupPlan> plan =
                planner.plan(members, needed, after, any -> Set.of()).plan();
        List<CandidateNode> left = after.stream()
                .flatMap(node ->
                        node.with(plan.map(found -> found.on(node.name())).orElse(List.of())).stream())
                .toList();
        List<PodFacts> evicted = leaving.values().stream()
                .flatMap(List::stream)
                .map(EvictionSearch::unbound)
                .toList();
        Optional<GroupPlan> moved = plan.flatMap(any ->
                planner.plan(evicted, evicted.size(), left, none -> Set.of()).plan());
        if (moved.isEmpty()) {
            return Optional.empty();
        }
        List<Eviction> evictions = new ArrayList<>();
        moved.get()
                .byNode()
                .forEach((target, pods) -> pods.forEach(
                        pod -> evictions.add(new Eviction(pod, pod.node().orElse(""), target))));
        evictions.sort(Comparator.comparing(Eviction::node)
                .thenComparing(each -> each.pod().key()));
        return Optional.of(new Proposal(evictions, plan.get()));
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
