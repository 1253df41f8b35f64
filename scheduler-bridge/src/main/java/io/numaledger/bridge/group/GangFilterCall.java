package io.numaledger.bridge.group;

import io.numaledger.bridge.group.GroupListener.Group;
import io.numaledger.bridge.group.GroupListener.Outcome;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.objects.PodGroup;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.state.NodeNames;
import io.numaledger.bridge.state.NodeUse;
import io.numaledger.bridge.state.NodeUse.PlannedPod;

import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/** One filter call for a pod of a gang that is not running yet, under the lock of the gang. */
final class GangFilterCall {

    /**
     * A group whose pods were to be bound although it lacks room was not meant without the pods of lower priority. kube-scheduler repeats
     * refused binds without back-off, and refused filter calls with it.
     */
    private static final Duration AFTER_REFUSAL = Duration.ofSeconds(10);

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
     * What is asked.
     *
     * @param nominatedNode where others were evicted for the pod
     */
    record Question(PodFacts pod, NodeNames names, Optional<String> nominatedNode) {}

    /** @param needed how many pods have to run, beside those that are bound; 1 or more */
    GangFilterCall(Shared shared, PodGroup group, Gang gang, Gang.Members members, int needed, Question question) {
        this.cluster = shared.cluster();
        this.planner = shared.planner();
        this.kept = shared.kept();
        this.listener = shared.listener();
        this.nanos = shared.nanos();
        this.group = group;
        this.gang = gang;
        this.members = members;
        this.needed = needed;
        this.pod = question.pod();
        this.names = question.names();
        this.nominatedNode = question.nominatedNode()
                .filter(node -> names.size() == 1 && names.get(0).equals(node));
    }

    GangAnswer answer() {
        Optional<ActivePlan> meant = plan();
        if (meant.isPresent()) {
            Optional<String> node = meant.get().node(pod);
            if (!meant.get().hasAnswered(pod) && node.filter(names::contains).isPresent()) {
                meant.get().answered(pod, nanos.getAsLong());
                return new GangAnswer.Planned(node.get());
            }
            if (!meant.get().hasAnswered(pod) && node.isEmpty()) {
                return GangAnswer.LEFT_OUT;
            }
            return replaced(meant.get());
        }
        return plannedAnew();
    }

    private GangAnswer plannedAnew() {
        gang.removeExcludedInTrials();
        return planned(Map.of(), names);
    }

    /** The plan with the fewest nodes that may be meant. */
    private Optional<ActivePlan> plan() {
        BitSet nodes = names.slots();
        return gang.plans().stream()
                .filter(plan -> plan.isAbout(nodes))
                .min(Comparator.comparingInt(plan -> plan.domain.cardinality()));
    }

    /**
     * A new plan in the place of one. If the pod was asked about before, kube-scheduler has begun anew. Else other plugins refuse its
     * planned node, and the pods that were answered before stay where they are.
     */
    private GangAnswer replaced(ActivePlan before) {
        gang.remove(before);
        if (before.hasAnswered(pod)) {
            return plannedAnew();
        }
        NodeNames domain = NodeNames.of(names.index(), names.index().names(before.domain));
        Set<String> refused = new HashSet<>(domain);
        names.forEach(refused::remove);
        gang.exclude(pod, refused, nanos.getAsLong(), before.awaitsEvictions);
        Map<String, List<PodFacts>> answered = new HashMap<>();
        before.plan
                .byNode()
                .forEach((node, pods) -> answered.put(
                        node, pods.stream().filter(before::hasAnswered).toList()));
        GangAnswer answer = planned(answered, domain);
        gang.plans()
                .forEach(plan -> answered.values().stream()
                        .flatMap(List::stream)
                        .forEach(each -> plan.answered(each, nanos.getAsLong())));
        return answer;
    }

    /** @param answered node → pods of the group that are planned there already */
    private GangAnswer planned(Map<String, List<PodFacts>> answered, NodeNames domain) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            List<NodeUse> uses = uses(domain);
            PlanningResult result = search(answered, uses, this::candidate);
            if (result.plan().isEmpty()) {
                return withoutLessImportant(answered, uses, domain, result);
            }
            if (keep(result.plan().get(), uses, domain)) {
                report(Outcome.PLANNED, result);
                return planned(result.plan().get());
            }
        }
        return GangAnswer.DOES_NOT_FIT;
    }

    private CandidateNode candidate(NodeUse use) {
        return nominatedNode.isPresent()
                ? CandidateNode.without(use, any -> false, this::isOfOthers)
                : CandidateNode.now(use, this::isOfOthers);
    }

    private boolean isOfOthers(PlannedPod planned) {
        return !planned.pod().group().group().equals(pod.group().group());
    }

    /** @param result with the pods of lower priority */
    private GangAnswer withoutLessImportant(
            Map<String, List<PodFacts>> answered, List<NodeUse> uses, NodeNames domain, PlanningResult result) {
        Optional<GroupPlan> plan = lacksSums(uses) && !fitsWithoutTerminating(answered, uses)
                ? search(answered, uses, use -> CandidateNode.without(use, this::isLessImportant, this::isOfOthers))
                        .plan()
                : Optional.empty();
        if (plan.isEmpty()) {
            report(Outcome.REFUSED, result);
            return GangAnswer.DOES_NOT_FIT;
        }
        add(kept.next(), plan.get(), domain, true);
        report(Outcome.PLANNED_WITHOUT_LOWER_PRIORITY, result);
        return planned(plan.get());
    }

    /**
     * kube-scheduler tries the group again whenever a pod ends. If it were told that the group fits without the pods of lower priority, it
     * would choose pods to evict anew, beside those that are terminating.
     */
    private boolean fitsWithoutTerminating(Map<String, List<PodFacts>> answered, List<NodeUse> uses) {
        return search(answered, uses, use -> CandidateNode.without(use, any -> false, this::isOfOthers))
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

    /** After evictions, kube-scheduler asks about the nominated node of each pod first. */
    private List<NodeUse> uses(NodeNames domain) {
        Set<String> nodes = new HashSet<>(domain);
        if (nominatedNode.isPresent()) {
            members.unbound().forEach(member -> cluster.nominatedNode(member).ifPresent(nodes::add));
        }
        return nodes.stream()
                .sorted()
                .map(cluster::use)
                .flatMap(Optional::stream)
                .toList();
    }

    private PlanningResult search(
            Map<String, List<PodFacts>> answered, List<NodeUse> uses, Function<NodeUse, CandidateNode> candidate) {
        Set<String> placed = new HashSet<>();
        Map<String, List<PodFacts>> fixed = new HashMap<>();
        List<CandidateNode> nodes = new ArrayList<>();
        for (NodeUse use : uses) {
            List<PodFacts> here = answered.getOrDefault(use.node().name(), List.of());
            Optional<CandidateNode> with = candidate.apply(use).with(here);
            with.ifPresent(nodes::add);
            if (with.isPresent() && !here.isEmpty()) {
                fixed.put(use.node().name(), here);
                here.forEach(each -> placed.add(each.key()));
            }
        }
        List<PodFacts> left = members.unbound().stream()
                .filter(member -> !placed.contains(member.key()))
                .toList();
        PlanningResult result =
                planner.plan(left, Math.max(1, needed - placed.size()), nodes, member -> excluded(member, uses));
        return new PlanningResult(
                result.plan().map(new GroupPlan(fixed)::with), result.placeable() + placed.size(), result.cutOff());
    }

    /** A pod for which others were evicted has to run where they were. */
    private Set<String> excluded(PodFacts member, List<NodeUse> uses) {
        Optional<String> nominated = nominatedNode.isPresent() ? cluster.nominatedNode(member) : Optional.empty();
        return nominated.isEmpty()
                ? gang.excluded(member)
                : uses.stream()
                        .map(use -> use.node().name())
                        .filter(node -> !nominated.get().equals(node))
                        .collect(Collectors.toSet());
    }

    /** By the sums of the nodes, the group does not fit: kube-scheduler would not ask, or it asks without less important pods. */
    private boolean lacksSums(List<NodeUse> uses) {
        boolean wasRefused = gang.refusedAt
                .filter(at -> nanos.getAsLong() - at < AFTER_REFUSAL.toNanos())
                .isPresent();
        return !wasRefused
                && pod.priority().preempts()
                && uses.stream().anyMatch(use -> use.pods().stream().anyMatch(this::isLessImportant))
                && uses.stream().mapToInt(use -> use.now().roomFor(pod, needed)).sum() < needed;
    }

    private boolean isLessImportant(PodFacts other) {
        return other.priority().value() < pod.priority().value();
    }

    /** Returns whether the nodes have not changed since they were read. */
    private boolean keep(GroupPlan plan, List<NodeUse> uses, NodeNames domain) {
        long number = kept.next();
        boolean done = kept.keep(number, plan, uses);
        if (done) {
            add(number, plan, domain, false);
        }
        return done;
    }

    private void add(long number, GroupPlan plan, NodeNames domain, boolean awaitsEvictions) {
        BitSet slots = domain.slots();
        slots.or(NodeNames.of(names.index(), plan.byNode().keySet()).slots());
        ActivePlan active = new ActivePlan(number, plan, slots, awaitsEvictions, nanos.getAsLong());
        active.answered(pod, nanos.getAsLong());
        gang.add(active);
    }
}
