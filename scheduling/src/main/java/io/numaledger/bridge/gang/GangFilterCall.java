package io.numaledger.bridge.gang;

import io.numaledger.bridge.evaluation.NodeFit;
import io.numaledger.bridge.gang.Gang.Attempt;
import io.numaledger.bridge.gang.Gang.State;
import io.numaledger.bridge.group.GroupListener;
import io.numaledger.bridge.group.GroupListener.Group;
import io.numaledger.bridge.group.GroupListener.Outcome;
import io.numaledger.bridge.group.GroupNode;
import io.numaledger.bridge.group.GroupPlan;
import io.numaledger.bridge.group.GroupPlanner;
import io.numaledger.bridge.group.KeptNodes;
import io.numaledger.bridge.group.PlanningBudget;
import io.numaledger.bridge.group.PlanningResult;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeIndex;
import io.numaledger.bridge.state.NodeNames;
import io.numaledger.bridge.state.NodeUse;
import io.numaledger.bridge.state.Reservation;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** One filter call for a pod of a gang that is not running yet, under the lock of the gang. */
final class GangFilterCall {

    /**
     * A group whose pods were to be bound although it lacks room was not meant without the pods of lower priority. kube-scheduler repeats
     * refused binds without back-off, and refused filter calls with it.
     */
    private static final Duration BIND_REFUSAL_TIMEOUT = Duration.ofSeconds(10);

    /** Nodes may change while a plan is made. */
    private static final int MAX_ATTEMPTS = 3;

    private final ClusterState cluster;
    private final GroupPlanner planner;
    private final KeptNodes kept;
    private final GroupListener listener;
    private final LongSupplier nanos;
    private final PodGroup group;
    private final Gang gang;
    private final Gang.Members members;
    private final int needed;
    private final PodFacts pod;
    private final NodeNames names;
    private final Optional<String> nominatedNode;

    /**
     * What all calls share.
     *
     * @param nanos a clock that does not jump
     */
    record Shared(
            ClusterState cluster, GroupPlanner planner, KeptNodes kept, GroupListener listener, LongSupplier nanos) {}

    /**
     * For what filter is called.
     *
     * @param nominatedNode where others were evicted for the pod
     */
    record Args(PodFacts pod, NodeNames names, Optional<String> nominatedNode) {}

    /** @param needed how many pods have to run, beside those that are bound; 1 or more */
    GangFilterCall(Shared shared, PodGroup group, Gang gang, Gang.Members members, int needed, Args args) {
        this.cluster = shared.cluster();
        this.planner = shared.planner().within(new PlanningBudget(GroupPlanner.GROUP_WORK));
        this.kept = shared.kept();
        this.listener = shared.listener();
        this.nanos = shared.nanos();
        this.group = group;
        this.gang = gang;
        this.members = members;
        this.needed = needed;
        this.pod = args.pod();
        this.names = args.names();
        this.nominatedNode = args.nominatedNode()
                .filter(node -> names.size() == 1 && names.get(0).equals(node));
    }

    GangAnswer answer() {
        Attempt attempt = attempt();
        if (attempt.refusal().isPresent()) {
            attempt.answered(pod, attempt.refusal());
            return GangAnswer.DOES_NOT_FIT;
        }
        long version = cluster.versions().last();
        GangAnswer answer = answer(attempt);
        boolean refused = answer == GangAnswer.DOES_NOT_FIT;
        // kube-scheduler calls for the nominated node first, and then for all nodes.
        if (!refused || nominatedNode.isEmpty()) {
            attempt.answered(
                    pod,
                    refused ? Optional.of(new Gang.Refusal(pod, names, version, nanos.getAsLong())) : Optional.empty());
        }
        return answer;
    }

    /** Where one pod is refused, kube-scheduler goes on with the others, or begins anew some time later. */
    private Attempt attempt() {
        Attempt before = gang.attempt(domain());
        boolean isOver = before.refusal()
                .filter(refusal ->
                        nanos.getAsLong() - refusal.at() >= Gang.ATTEMPT_TIMEOUT.toNanos() || !isLike(refusal.pod()))
                .isPresent();
        boolean isBinding = before.plan()
                .filter(plan -> plan.state() == State.BINDING && plan.node(pod).isEmpty())
                .isPresent();
        return !isBinding && (isOver || before.hasCalled(pod)) ? gang.newAttempt(domain()) : before;
    }

    /** An attempt may begin with a pod for which there was no node before, and for which filter was not called. */
    private boolean isLike(PodFacts other) {
        return planner.kinds(List.of(pod, other)).size() == 1;
    }

    private GangAnswer answer(Attempt attempt) {
        if (attempt.plan().isEmpty()) {
            return planned(Map.of(), names.slots());
        }
        ActivePlan plan = attempt.plan().get();
        Optional<String> node = plan.node(pod);
        if (node.isEmpty()) {
            return GangAnswer.LEFT_OUT;
        }
        if (names.contains(node.get())) {
            plan.answered(pod, nanos.getAsLong());
            return new GangAnswer.Planned(node.get());
        }
        return nominatedNode.isPresent() && plan.isNominatedElsewhere(pod) ? GangAnswer.DOES_NOT_FIT : replaced(plan);
    }

    /**
     * Whether the group fits now, as far as is known here.
     *
     * @throws IllegalArgumentException as a sentence, for a pod with invalid annotations
     */
    boolean fits() {
        return search(basis(Map.of(), names.slots()), this::groupNode).plan().isPresent();
    }

    /** The values of the labels that all pods of the group share; the same text for all nodes of a domain. */
    private String domain() {
        return names.isEmpty() ? "" : domain(names.get(0));
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

    /**
     * A new plan in the place of one, because other plugins refuse the planned node. The pods that were answered before stay where they
     * are.
     */
    private GangAnswer replaced(ActivePlan before) {
        BitSet feasible = names.slots();
        feasible.or(before.feasible());
        Set<String> refused = new HashSet<>(names.index().names(feasible));
        before.node(pod).ifPresent(refused::add);
        names.forEach(refused::remove);
        Map<String, List<PodFacts>> answered = new HashMap<>();
        before.plan()
                .byNode()
                .forEach((node, pods) -> answered.put(
                        node, pods.stream().filter(before::hasAnswered).toList()));
        gang.remove(before);
        boolean awaitsEvictions = before.state() == State.AWAITS_EVICTIONS;
        gang.exclude(pod, domain(), refused, nanos.getAsLong(), awaitsEvictions);
        GangAnswer answer = planned(answered, feasible);
        if (!awaitsEvictions) {
            // The others are full by the pods that were answered before, which may run elsewhere the next time.
            refused.removeIf(node -> !before.node(pod).equals(Optional.of(node)) && isFull(node, answered));
            gang.exclude(pod, domain(), refused, nanos.getAsLong(), false);
        }
        gang.attempt(domain())
                .plan()
                .ifPresent(plan -> answered.values().stream()
                        .flatMap(List::stream)
                        .forEach(each -> plan.answered(each, nanos.getAsLong())));
        return answer;
    }

    private boolean isFull(String node, Map<String, List<PodFacts>> answered) {
        List<PodFacts> there = answered.getOrDefault(node, List.of());
        return !there.isEmpty()
                && cluster.use(node)
                        .flatMap(use -> use.now().withAll(there))
                        .filter(with -> with.roomFor(pod, 1) == 0)
                        .isPresent();
    }

    /**
     * What a plan is based on.
     *
     * @param answered node → pods of the group that are planned there already
     * @param feasible the slots of the nodes for the pods that are like this one
     * @param kinds the pods that are alike, together; those that are like this one come first
     * @param beyond the names of nodes for pods of other kinds only
     */
    private record Basis(
            Map<String, List<PodFacts>> answered,
            BitSet feasible,
            List<List<PodFacts>> kinds,
            List<NodeUse> uses,
            Set<String> beyond) {}

    /**
     * @param answered node → pods of the group that are planned there already
     * @param feasible the slots of the nodes for the pods that are like this one
     */
    private GangAnswer planned(Map<String, List<PodFacts>> answered, BitSet feasible) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            Basis basis = basis(answered, feasible);
            PlanningResult result = search(basis, this::groupNode);
            if (result.plan().isEmpty()) {
                return withoutLessImportant(basis, result);
            }
            if (keep(result.plan().get(), basis)) {
                report(Outcome.PLANNED, result);
                return planned(result.plan().get());
            }
        }
        return GangAnswer.DOES_NOT_FIT;
    }

    /** After evictions, kube-scheduler calls for the nominated node of each pod first. */
    private Basis basis(Map<String, List<PodFacts>> answered, BitSet feasible) {
        List<List<PodFacts>> kinds = planner.kinds(members.unbound());
        Set<String> nodes = new TreeSet<>(names.index().names(feasible));
        if (nominatedNode.isPresent()) {
            members.unbound().forEach(member -> cluster.nominatedNode(member).ifPresent(nodes::add));
        }
        Set<String> beyond = kinds.size() > 1 ? domainWithout(nodes) : Set.of();
        nodes.addAll(beyond);
        return new Basis(
                answered,
                feasible,
                kinds,
                nodes.stream().map(cluster::use).flatMap(Optional::stream).toList(),
                beyond);
    }

    private Set<String> domainWithout(Set<String> nodes) {
        String domain = domain();
        NodeIndex index = names.index();
        return IntStream.range(0, index.size())
                .mapToObj(index::name)
                .filter(node -> !nodes.contains(node) && domain(node).equals(domain))
                .collect(Collectors.toSet());
    }

    private GroupNode groupNode(NodeUse use) {
        return nominatedNode.isPresent()
                ? GroupNode.without(use, any -> false, this::isOfOthers)
                : GroupNode.now(use, this::isOfOthers);
    }

    private boolean isOfOthers(Reservation planned) {
        return !planned.pod().group().group().equals(pod.group().group()) && planned.goesBefore(pod);
    }

    /** @param result with the pods of lower priority */
    private GangAnswer withoutLessImportant(Basis basis, PlanningResult result) {
        Optional<GroupPlan> plan = lacksSums(basis) && !fitsWithoutTerminating(basis)
                ? search(basis, use -> GroupNode.without(use, this::isLessImportant, this::isOfOthers))
                        .plan()
                : Optional.empty();
        if (plan.isEmpty()) {
            report(Outcome.REFUSED, result);
            return GangAnswer.DOES_NOT_FIT;
        }
        add(kept.next(), plan.get(), basis, State.AWAITS_EVICTIONS);
        report(Outcome.PLANNED_WITHOUT_LOWER_PRIORITY, result);
        return planned(plan.get());
    }

    /**
     * kube-scheduler tries the group again whenever a pod ends. If it were told that the group fits without the pods of lower priority, it
     * would choose pods to evict anew, beside those that are terminating.
     */
    private boolean fitsWithoutTerminating(Basis basis) {
        return search(basis, use -> GroupNode.without(use, any -> false, this::isOfOthers))
                .plan()
                .isPresent();
    }

    private void report(Outcome outcome, PlanningResult result) {
        listener.planned(new Group(group.name(), Optional.of(group), pod), outcome, needed, result);
    }

    private GangAnswer planned(GroupPlan plan) {
        return plan.byNode().entrySet().stream()
                .filter(node -> node.getValue().stream().anyMatch(pod::isSameAs))
                .map(node -> names.contains(node.getKey())
                        ? (GangAnswer) new GangAnswer.Planned(node.getKey())
                        : GangAnswer.DOES_NOT_FIT)
                .findFirst()
                .orElse(GangAnswer.LEFT_OUT);
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
        Set<String> alike = basis.kinds().get(0).stream().map(PodFacts::key).collect(Collectors.toSet());
        PlanningResult result = planner.plan(
                left,
                Math.max(1, needed - placed.size()),
                nodes,
                member -> excluded(member, alike.contains(member.key()) ? basis.beyond() : Set.of(), basis));
        Optional<GroupPlan> plan = result.plan().map(new GroupPlan(fixed)::with);
        return new PlanningResult(
                placed.size() < needed ? plan : plan.or(() -> Optional.of(new GroupPlan(fixed))),
                result.placeable() + placed.size(),
                result.cutOff(),
                result.notes());
    }

    /** A pod for which others were evicted has to run where they were. */
    private Set<String> excluded(PodFacts member, Set<String> beyond, Basis basis) {
        Optional<String> nominated = nominatedNode.isPresent() ? cluster.nominatedNode(member) : Optional.empty();
        if (nominated.isPresent()) {
            return basis.uses().stream()
                    .map(use -> use.node().name())
                    .filter(node -> !nominated.get().equals(node))
                    .collect(Collectors.toSet());
        }
        Set<String> excluded = gang.excluded(member, domain());
        if (excluded.isEmpty() || beyond.isEmpty()) {
            return excluded.isEmpty() ? beyond : excluded;
        }
        Set<String> both = new HashSet<>(excluded);
        both.addAll(beyond);
        return both;
    }

    /**
     * By node-level requests, the group does not fit: kube-scheduler would not call, or it calls as if pods of lower priority were gone. Each
     * kind of pods is counted as if it were alone.
     */
    private boolean lacksSums(Basis basis) {
        Duration limit = callsBeyondSums(basis) ? Gang.ATTEMPT_TIMEOUT : BIND_REFUSAL_TIMEOUT;
        return !gang.wasBindRefusedAfter(nanos.getAsLong() - limit.toNanos())
                && pod.priority().preempts()
                && basis.uses().stream().anyMatch(use -> use.pods().stream().anyMatch(this::isLessImportant))
                && basis.kinds().stream()
                                .mapToInt(kind -> room(kind, basis.uses()))
                                .sum()
                        < needed;
    }

    /** A node without room by node-level requests is named only without pods of lower priority, or if the watch is late. */
    private boolean callsBeyondSums(Basis basis) {
        SortedMap<String, Long> request = NodeFit.requested(pod.request());
        return basis.uses().stream().anyMatch(use -> names.contains(use.node().name()) && use.roomFor(request, 1) == 0);
    }

    private static int room(List<PodFacts> kind, List<NodeUse> uses) {
        SortedMap<String, Long> request = NodeFit.requested(kind.get(0).nodeLevel());
        int sum =
                uses.stream().mapToInt(use -> use.roomFor(request, kind.size())).sum();
        return Math.min(kind.size(), sum);
    }

    private boolean isLessImportant(PodFacts other) {
        return other.priority().value() < pod.priority().value();
    }

    /** Returns whether the nodes have not changed since they were read. */
    private boolean keep(GroupPlan plan, Basis basis) {
        long number = kept.next();
        boolean done = kept.keep(number, plan, basis.uses());
        if (done) {
            add(number, plan, basis, State.RESERVED);
        }
        return done;
    }

    private void add(long number, GroupPlan plan, Basis basis, State state) {
        ActivePlan active = new ActivePlan(number, plan, basis.feasible(), state, nanos.getAsLong());
        active.answered(pod, nanos.getAsLong());
        gang.attempt(domain()).planned(active);
    }
}
