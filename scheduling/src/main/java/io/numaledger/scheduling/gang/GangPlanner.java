package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.scheduling.group.GroupNode;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeIndex;
import io.numaledger.scheduling.state.NodeNames;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Precedence;
import io.numaledger.scheduling.state.Reservation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Plans a gang for one filter call: on the nodes of the call, and pods unlike the one of the call on all nodes of the topology domain.
 * Reserves nothing.
 */
final class GangPlanner {

    /**
     * A group whose pods were to be bound although it lacks room was not meant without the pods of lower priority. kube-scheduler repeats
     * refused binds without back-off, and refused filter calls with it.
     */
    private static final Duration BIND_REFUSAL_TIMEOUT = Duration.ofSeconds(10);

    private final ClusterState cluster;
    private final EvaluationBudget budget;
    private final GroupPlanner planner;
    private final LongSupplier nanos;
    private final PodGroup group;
    private final Gang gang;
    private final Gang.Members members;
    private final Predicate<Reservation> ofOthers;
    private final int needed;
    private final PodFacts pod;
    private final NodeNames names;
    private final Optional<String> nominatedNode;
    private final String domain;

    GangPlanner(
            GangFilterCall.Shared shared, PodGroup group, Gang gang, Gang.Members members, GangFilterCall.Args args) {
        this.cluster = shared.cluster();
        this.budget = new EvaluationBudget(GroupPlanner.GROUP_WORK);
        this.planner = shared.planner().within(budget);
        this.nanos = shared.nanos();
        this.group = group;
        this.gang = gang;
        this.members = members;
        this.ofOthers = Precedence.beforeGroup(members.unbound());
        this.needed = members.needed(group);
        this.pod = args.pod();
        this.names = args.names();
        this.nominatedNode = args.nominatedNode();
        this.domain = names.isEmpty() ? "" : domain(names.get(0));
    }

    /** The values of the labels that all pods of the group share; the same text for all nodes of a domain. */
    String domain() {
        return domain;
    }

    private String domain(String node) {
        if (group.sameValues().isEmpty()) {
            return "";
        }
        Map<String, String> labels = cluster.use(node)
                .<Map<String, String>>map(use -> use.node().constraints().labels())
                .orElse(Map.of());
        return group.sameValues().stream().map(labels::get).toList().toString();
    }

    /** Whether the pod of the call may take the place of another. */
    boolean isEqualTo(PodFacts other) {
        return planner.equalPods(List.of(pod, other)).size() == 1;
    }

    /**
     * What a plan is based on.
     *
     * @param answered node → pods of the group that are planned there already
     * @param feasible the slots of the nodes for pods that equal this one
     * @param equalPods equal pods together; those that equal this one come first
     * @param beyond the names of nodes for other pods only
     */
    record Basis(
            Map<String, List<PodFacts>> answered,
            BitSet feasible,
            List<List<PodFacts>> equalPods,
            List<NodeUse> uses,
            Set<String> beyond) {}

    /** What is known before any pod of the group is planned. */
    Basis basis() {
        return basis(Map.of(), names.slots());
    }

    /** After evictions, kube-scheduler calls for the nominated node of each pod first. */
    Basis basis(Map<String, List<PodFacts>> answered, BitSet feasible) {
        List<List<PodFacts>> equalPods = planner.equalPods(members.unbound());
        Set<String> nodes = new TreeSet<>(names.index().names(feasible));
        if (nominatedNode.isPresent()) {
            members.unbound()
                    .forEach(member -> cluster.nominated().nodeOf(member).ifPresent(nodes::add));
        }
        Set<String> beyond = equalPods.size() > 1 ? domainWithout(nodes) : Set.of();
        nodes.addAll(beyond);
        return new Basis(
                answered,
                feasible,
                equalPods,
                nodes.stream()
                        .flatMap(node -> cluster.use(node, budget).stream())
                        .toList(),
                beyond);
    }

    private Set<String> domainWithout(Set<String> nodes) {
        NodeIndex index = names.index();
        return IntStream.range(0, index.size())
                .mapToObj(index::name)
                .filter(node -> !nodes.contains(node) && domain(node).equals(domain))
                .collect(Collectors.toSet());
    }

    /**
     * Plans the group as far as is known here.
     *
     * @throws IllegalArgumentException as a sentence, for a pod with invalid annotations
     */
    PlanningResult plan(Basis basis) {
        return nominatedNode.isPresent() ? afterReleases(basis) : search(basis, use -> GroupNode.now(use, ofOthers));
    }

    private PlanningResult afterReleases(Basis basis) {
        return search(basis, use -> GroupNode.without(use, any -> false, ofOthers));
    }

    /**
     * Plans a group that does not fit without the pods of lower priority; absent: kube-scheduler does not call as if they were gone, or that
     * does not help.
     *
     * <p>kube-scheduler tries the group again whenever a pod ends. If it were told that the group fits without the pods of lower priority
     * while terminating pods leave enough room, it would choose pods to evict anew, beside those.
     */
    Optional<GroupPlan> withoutLowerPriority(Basis basis) {
        return lacksRoom(basis) && afterReleases(basis).plan().isEmpty()
                ? search(basis, use -> GroupNode.without(use, this::hasLowerPriority, ofOthers))
                        .plan()
                : Optional.empty();
    }

    private PlanningResult search(Basis basis, Function<NodeUse, GroupNode> groupNode) {
        Set<String> placed = new HashSet<>();
        Map<String, List<PodFacts>> fixed = new HashMap<>();
        List<GroupNode> nodes = new ArrayList<>();
        for (NodeUse use : basis.uses()) {
            List<PodFacts> here = basis.answered().getOrDefault(use.node().name(), List.of());
            Optional<GroupNode> with = groupNode.apply(use).with(here);
            with.ifPresent(nodes::add);
            if (with.isPresent() && !here.isEmpty()) {
                fixed.put(use.node().name(), here);
                here.forEach(each -> placed.add(each.key()));
            }
        }
        List<PodFacts> left = members.unbound().stream()
                .filter(member -> !placed.contains(member.key()))
                .toList();
        Set<String> equal = basis.equalPods().get(0).stream().map(PodFacts::key).collect(Collectors.toSet());
        PlanningResult result = planner.plan(
                left,
                Math.max(1, needed - placed.size()),
                nodes,
                member -> excluded(member, equal.contains(member.key()) ? basis.beyond() : Set.of(), basis));
        Optional<GroupPlan> plan = result.plan().map(new GroupPlan(fixed)::with);
        return new PlanningResult(
                placed.size() < needed ? plan : plan.or(() -> Optional.of(new GroupPlan(fixed))),
                result.placeable() + placed.size(),
                result.cutOff(),
                result.notes());
    }

    /** A pod for which others were evicted has to run where they were. */
    private Set<String> excluded(PodFacts member, Set<String> beyond, Basis basis) {
        Optional<String> nominated =
                nominatedNode.isPresent() ? cluster.nominated().nodeOf(member) : Optional.empty();
        if (nominated.isPresent()) {
            return basis.uses().stream()
                    .map(use -> use.node().name())
                    .filter(node -> !nominated.get().equals(node))
                    .collect(Collectors.toSet());
        }
        Set<String> excluded = gang.excluded(member, domain);
        if (excluded.isEmpty() || beyond.isEmpty()) {
            return excluded.isEmpty() ? beyond : excluded;
        }
        Set<String> both = new HashSet<>(excluded);
        both.addAll(beyond);
        return both;
    }

    /**
     * Whether the group does not fit by node-level requests: kube-scheduler would not call, or it calls as if pods of lower priority were gone. Each
     * kind of pods is counted as if it were alone.
     */
    private boolean lacksRoom(Basis basis) {
        Duration limit = isFullNodeNamed(basis) ? Gang.ATTEMPT_TIMEOUT : BIND_REFUSAL_TIMEOUT;
        return !gang.wasBindRefusedAfter(nanos.getAsLong() - limit.toNanos())
                && pod.priority().preempts()
                && basis.uses().stream().anyMatch(use -> use.pods().stream().anyMatch(this::hasLowerPriority))
                && basis.equalPods().stream()
                                .mapToInt(pods -> room(pods, basis.uses()))
                                .sum()
                        < needed;
    }

    /** A node without room by node-level requests is named only without pods of lower priority, or if the watch is late. */
    private boolean isFullNodeNamed(Basis basis) {
        SortedMap<String, Long> request = NodeFit.requested(pod.request());
        return basis.uses().stream().anyMatch(use -> names.contains(use.node().name()) && use.roomFor(request, 1) == 0);
    }

    private static int room(List<PodFacts> equal, List<NodeUse> uses) {
        SortedMap<String, Long> request = NodeFit.requested(equal.get(0).nodeLevel());
        int all = uses.stream()
                .mapToInt(use -> use.roomFor(request, equal.size()))
                .sum();
        return Math.min(equal.size(), all);
    }

    private boolean hasLowerPriority(PodFacts other) {
        return other.priority().value() < pod.priority().value();
    }
}
