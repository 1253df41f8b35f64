package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.group.GroupPlanner.EqualPodRooms;
import io.numaledger.scheduling.topology.DomainSearch;
import io.numaledger.scheduling.topology.DomainTree;
import io.numaledger.scheduling.topology.TopologyRequest;
import io.numaledger.scheduling.topology.TopologyRequest.Slices;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Plans a group within topology domains. Equal pods are counted, and divided by {@link DomainSearch}. For other pods, domains are
 * tried one after the other. Pods that have a node already decide on the domain of the required level. Where node selectors name a domain
 * for every pod, as those of Kueue do, the plan is made within them.
 */
public final class TopologyPlanner {

    /** The most domains that are tried for pods that are not all equal. */
    private static final int MAX_DOMAINS = 8;

    private final GroupPlanner planner;
    private final TopologyRequest request;
    private final DomainTree tree;
    private final Map<PodFacts, String> placed;

    /** @param placed pods of the group that have a node, or are tied to one → its name */
    public TopologyPlanner(
            GroupPlanner planner, TopologyRequest request, DomainTree tree, Map<PodFacts, String> placed) {
        this.planner = planner;
        this.request = request;
        this.tree = tree;
        this.placed = placed;
    }

    /** See {@link GroupPlanner#plan}. */
    public PlanningResult plan(List<PodFacts> members, int least, List<GroupNode> nodes) {
        Map<PodFacts, Integer> ranks = PodRanks.of(members, placed.keySet());
        List<PodFacts> ordered = List.copyOf(ranks.keySet());
        boolean areAssigned = ordered.stream().allMatch(this::isAssigned);
        List<EqualPodRooms> rooms = planner.rooms(ordered, nodes);
        if (planner.budget().isUsedUp()) {
            return PlanningResult.ended();
        }
        PlanningResult result;
        if (areAssigned) {
            result = planner.plan(ordered, least, nodes, any -> Set.of());
        } else if (rooms.size() == 1) {
            result = planEqual(ranks, rooms.get(0), least);
        } else if (request.slices().isPresent()) {
            result = refused(0, "the pods of a group with topology slices need equal requests and constraints");
        } else {
            result = planMixed(ordered, rooms, least, nodes);
        }
        if (result.plan().isEmpty()) {
            boolean isExact = areAssigned && planner.budget().take((long) rooms.size() * nodes.size());
            return withNotes(result, isExact ? contradictions(rooms, nodes) : List.of());
        }
        GroupPlan plan = result.plan().get();
        return new PlanningResult(
                Optional.of(withPlaces(rooms.size() == 1 && !areAssigned ? plan : inOrder(plan, rooms), ranks)),
                result.placeable(),
                result.cutOff());
    }

    /** The nodes of each domain that may take the group. None for groups with slices: evictions are not searched for slices. */
    public List<Set<String>> domainsToPreempt() {
        if (request.slices().isPresent()) {
            return List.of();
        }
        return tree.atDepth(request.requiredDepth(), within()).stream()
                .map(domain -> Set.copyOf(tree.nodes(domain)))
                .toList();
    }

    private boolean isAssigned(PodFacts pod) {
        List<String> labels = request.levels().labels();
        return pod.constraints().nodeSelector().containsKey(labels.get(labels.size() - 1));
    }

    /** The domain of the required level that has the most of the placed pods. */
    private int within() {
        Map<Integer, Integer> pods = new TreeMap<>();
        placed.values()
                .forEach(node -> tree.domainOf(node, request.requiredDepth())
                        .ifPresent(domain -> pods.merge(domain, 1, Integer::sum)));
        return pods.entrySet().stream()
                .max(Map.Entry.<Integer, Integer>comparingByValue()
                        .thenComparing(Map.Entry.comparingByKey(Comparator.reverseOrder())))
                .map(Map.Entry::getKey)
                .orElse(0);
    }

    private PlanningResult planEqual(Map<PodFacts, Integer> ranks, EqualPodRooms equal, int least) {
        Map<String, Integer> room = new HashMap<>(equal.byNode());
        Map<String, List<PodFacts>> byNode = new LinkedHashMap<>();
        List<PodFacts> left = new ArrayList<>(ranks.keySet());
        request.slices()
                .ifPresent(slices -> startedSlices(ranks, slices).forEach((domain, pods) -> {
                    left.removeAll(pods);
                    DomainSearch search =
                            new DomainSearch(tree, request.withoutLevels(), node -> room.getOrDefault(node, 0));
                    put(search.find(Math.min(pods.size(), search.most(domain)), domain), pods, byNode, room);
                }));
        DomainSearch search = new DomainSearch(tree, request, node -> room.getOrDefault(node, 0));
        int within = within();
        put(search.find(Math.min(left.size(), search.most(within)), within), left, byNode, room);
        GroupPlan plan = new GroupPlan(byNode);
        return new PlanningResult(Optional.of(plan).filter(each -> each.size() >= least), plan.size(), false);
    }

    /** Domain → the pods whose slices have pods there. */
    private Map<Integer, List<PodFacts>> startedSlices(Map<PodFacts, Integer> ranks, Slices slices) {
        Map<Integer, Integer> domains = new HashMap<>();
        placed.forEach((pod, node) -> PodRanks.of(pod)
                .ifPresent(rank -> tree.domainOf(node, request.sliceDepth())
                        .ifPresent(domain -> domains.putIfAbsent(rank / slices.size(), domain))));
        Map<Integer, List<PodFacts>> pods = new TreeMap<>();
        ranks.forEach((pod, rank) -> Optional.ofNullable(domains.get(rank / slices.size()))
                .ifPresent(domain ->
                        pods.computeIfAbsent(domain, any -> new ArrayList<>()).add(pod)));
        return pods;
    }

    /** Gives the pods to the nodes, in their order, and takes them from the room. */
    private static void put(
            Optional<Map<String, Integer>> found,
            List<PodFacts> pods,
            Map<String, List<PodFacts>> byNode,
            Map<String, Integer> room) {
        int[] next = {0};
        found.orElse(Map.of()).forEach((node, count) -> {
            byNode.computeIfAbsent(node, any -> new ArrayList<>()).addAll(pods.subList(next[0], next[0] + count));
            room.merge(node, -count, Integer::sum);
            next[0] += count;
        });
    }

    /** All pods in the narrowest domain in which they are found to fit, or else as many as fit in one domain of the required level. */
    private PlanningResult planMixed(
            List<PodFacts> members, List<EqualPodRooms> rooms, int least, List<GroupNode> nodes) {
        if (!planner.budget().take((long) rooms.size() * nodes.size())) {
            return PlanningResult.ended();
        }
        Map<String, Integer> sums = new HashMap<>();
        rooms.forEach(equal -> equal.byNode().forEach((node, pods) -> sums.merge(node, pods, Integer::sum)));
        DomainSearch search = new DomainSearch(tree, request, node -> sums.getOrDefault(node, 0));
        List<Integer> all = search.fitting(members.size(), within())
                .filter(domain -> rooms.stream().allMatch(equal -> fits(equal, domain)))
                .toList();
        PlanningResult best = new PlanningResult(Optional.empty(), 0, false);
        for (int domain : all.subList(0, Math.min(all.size(), MAX_DOMAINS))) {
            PlanningResult result = planIn(domain, members, members.size(), nodes);
            if (result.plan().isPresent()) {
                return result;
            }
            best = better(best, result);
        }
        if (least < members.size() || all.isEmpty()) {
            for (int domain : search.roomiest(within()).limit(MAX_DOMAINS).toList()) {
                best = better(best, planIn(domain, members, least, nodes));
            }
        }
        return all.size() > MAX_DOMAINS ? new PlanningResult(best.plan(), best.placeable(), true) : best;
    }

    private boolean fits(EqualPodRooms equal, int domain) {
        return tree.nodes(domain).stream()
                        .mapToInt(node -> equal.byNode().getOrDefault(node, 0))
                        .sum()
                >= equal.pods().size();
    }

    private PlanningResult planIn(int domain, List<PodFacts> members, int least, List<GroupNode> nodes) {
        Set<String> inside = new HashSet<>(tree.nodes(domain));
        List<GroupNode> inDomain = nodes.stream()
                .filter(node -> inside.contains(node.name()))
                .sorted(Comparator.comparingInt(node -> tree.order(node.name())))
                .toList();
        return planner.plan(members, least, inDomain, any -> Set.of());
    }

    private static PlanningResult better(PlanningResult one, PlanningResult other) {
        boolean isCutOff = one.cutOff() || other.cutOff();
        PlanningResult best = Stream.of(one, other)
                .max(Comparator.comparing((PlanningResult each) -> each.plan().isPresent())
                        .thenComparingInt(PlanningResult::placeable))
                .orElseThrow();
        return new PlanningResult(best.plan(), best.placeable(), isCutOff);
    }

    private static PlanningResult refused(int placeable, String note) {
        return new PlanningResult(Optional.empty(), placeable, false, List.of(note));
    }

    private PlanningResult withNotes(PlanningResult result, List<String> more) {
        List<String> notes = new ArrayList<>(result.notes());
        request.requiredLabel().ifPresent(label -> notes.add("all have to run in one domain of " + label));
        notes.addAll(more);
        return new PlanningResult(result.plan(), result.placeable(), result.cutOff(), notes);
    }

    /** Notes where Kueue, which counts node-level requests, has assigned more pods than zones take. */
    private List<String> contradictions(List<EqualPodRooms> rooms, List<GroupNode> nodes) {
        List<String> labels = request.levels().labels();
        String label = labels.get(labels.size() - 1);
        List<String> notes = new ArrayList<>();
        for (EqualPodRooms equal : rooms) {
            PodFacts example = equal.pods().get(0);
            int exact =
                    equal.byNode().values().stream().mapToInt(Integer::intValue).sum();
            int assigned = equal.pods().size();
            int bySums = nodes.stream()
                    .filter(node -> example.constraints()
                            .conflicts(node.name(), node.use().node().constraints())
                            .isEmpty())
                    .mapToInt(node -> node.start().roomFor(example, assigned))
                    .sum();
            if (exact < assigned) {
                notes.add("%d are assigned to %s=%s: %d of them fit by node-level requests, %d by zones"
                        .formatted(
                                assigned,
                                label,
                                example.constraints().nodeSelector().getOrDefault(label, ""),
                                Math.min(bySums, assigned),
                                exact));
            }
        }
        return notes;
    }

    /** Equal pods change places, so that their numbers follow the order of the domains. */
    private GroupPlan inOrder(GroupPlan plan, List<EqualPodRooms> rooms) {
        Map<PodFacts, Deque<PodFacts>> next = new HashMap<>();
        Set<PodFacts> planned =
                plan.byNode().values().stream().flatMap(List::stream).collect(Collectors.toSet());
        rooms.forEach(equal -> {
            Deque<PodFacts> pods = new ArrayDeque<>(
                    equal.pods().stream().filter(planned::contains).toList());
            equal.pods().forEach(pod -> next.put(pod, pods));
        });
        Map<String, List<PodFacts>> byNode = new LinkedHashMap<>();
        Function<PodFacts, PodFacts> first =
                pod -> next.getOrDefault(pod, new ArrayDeque<>(List.of(pod))).remove();
        plan.byNode().keySet().stream()
                .sorted(Comparator.comparingInt(tree::order))
                .forEach(node ->
                        byNode.put(node, plan.on(node).stream().map(first).toList()));
        return new GroupPlan(byNode);
    }

    private GroupPlan withPlaces(GroupPlan plan, Map<PodFacts, Integer> ranks) {
        SortedMap<String, TopologyPlace> places = new TreeMap<>();
        plan.byNode()
                .forEach((node, pods) -> tree.domainName(node)
                        .ifPresent(domain -> pods.forEach(
                                pod -> places.put(pod.key(), new TopologyPlace(domain, ranks.getOrDefault(pod, 0))))));
        return new GroupPlan(plan.byNode(), places);
    }
}
