package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.facts.PodGroup;
import io.numaledger.scheduling.gang.Gang.State;
import io.numaledger.scheduling.gang.GangPlanner.Basis;
import io.numaledger.scheduling.group.GroupListener;
import io.numaledger.scheduling.group.GroupListener.Group;
import io.numaledger.scheduling.group.GroupListener.Outcome;
import io.numaledger.scheduling.group.GroupPlan;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.group.PlanningResult;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeNames;

import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;

/**
 * One filter call for a pod of a gang that is not running yet: to which attempt it belongs, and its answer by the plan of that attempt,
 * which {@link GangPlanner} makes. Under the lock of the gang.
 */
final class GangFilterCall {

    /** Nodes may change while a plan is made. */
    private static final int MAX_ATTEMPTS = 3;

    private final ClusterState cluster;
    private final PlanReservations reservations;
    private final GroupListener listener;
    private final LongSupplier nanos;
    private final PodGroup group;
    private final Gang gang;
    private final int needed;
    private final GangPlanner planner;
    private final String domain;
    private final PodFacts pod;
    private final NodeNames names;
    private final Optional<String> nominatedNode;

    /**
     * What all calls share.
     *
     * @param nanos a clock that does not jump
     */
    record Shared(
            ClusterState cluster,
            GroupPlanner planner,
            PlanReservations reservations,
            GroupListener listener,
            LongSupplier nanos) {}

    /**
     * The arguments of a filter call.
     *
     * @param nominatedNode where others were evicted for the pod; absent, too, if the call is not for that node alone
     */
    record Args(PodFacts pod, NodeNames names, Optional<String> nominatedNode) {

        Args {
            nominatedNode = nominatedNode.filter(
                    node -> names.size() == 1 && names.get(0).equals(node));
        }
    }

    GangFilterCall(Shared shared, PodGroup group, Gang gang, Gang.Members members, Args args) {
        this.cluster = shared.cluster();
        this.reservations = shared.reservations();
        this.listener = shared.listener();
        this.nanos = shared.nanos();
        this.group = group;
        this.gang = gang;
        this.needed = members.needed(group);
        this.planner = new GangPlanner(shared, group, gang, members, args);
        this.domain = planner.domain();
        this.pod = args.pod();
        this.names = args.names();
        this.nominatedNode = args.nominatedNode();
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
                    refused
                            ? Optional.of(new Attempt.Refusal(pod, names, version, nanos.getAsLong()))
                            : Optional.empty());
        }
        return answer;
    }

    /**
     * Where one pod is refused, kube-scheduler goes on with the others, or begins anew some time later. An attempt may begin with a pod for
     * which there was no node before, and for which filter was not called.
     */
    private Attempt attempt() {
        Attempt before = gang.attempt(domain);
        boolean isOver = before.refusal()
                .filter(refusal -> nanos.getAsLong() - refusal.at() >= Gang.ATTEMPT_TIMEOUT.toNanos()
                        || !planner.isEqualTo(refusal.pod()))
                .isPresent();
        boolean isBinding = before.plan()
                .filter(plan -> plan.state() == State.BINDING && plan.node(pod).isEmpty())
                .isPresent();
        return !isBinding && (isOver || before.hasCalled(pod)) ? gang.newAttempt(domain) : before;
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
        gang.exclude(pod, domain, refused, nanos.getAsLong(), awaitsEvictions);
        GangAnswer answer = planned(answered, feasible);
        if (!awaitsEvictions) {
            // The others are full by the pods that were answered before, which may run elsewhere the next time.
            refused.removeIf(node -> !before.node(pod).equals(Optional.of(node)) && isFull(node, answered));
            gang.exclude(pod, domain, refused, nanos.getAsLong(), false);
        }
        gang.attempt(domain)
                .plan()
                .ifPresent(plan -> answered.values().stream()
                        .flatMap(List::stream)
                        .forEach(each -> plan.answered(each, nanos.getAsLong())));
        return answer;
    }

    private boolean isFull(String node, Map<String, List<PodFacts>> answered) {
        List<PodFacts> there = answered.getOrDefault(node, List.of());
        return !there.isEmpty()
                && cluster.use(node, new EvaluationBudget(GroupPlanner.GROUP_WORK))
                        .flatMap(use -> use.now().withAll(there))
                        .filter(with -> with.roomFor(pod, 1) == 0)
                        .isPresent();
    }

    /**
     * @param answered node → pods of the group that are planned there already
     * @param feasible the slots of the nodes for the pods that are like this one
     */
    private GangAnswer planned(Map<String, List<PodFacts>> answered, BitSet feasible) {
        for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
            Basis basis = planner.basis(answered, feasible);
            PlanningResult result = planner.plan(basis);
            if (result.plan().isEmpty()) {
                return withoutLowerPriority(basis, result);
            }
            if (reserve(result.plan().get(), basis)) {
                report(Outcome.PLANNED, result);
                return planned(result.plan().get());
            }
        }
        return GangAnswer.DOES_NOT_FIT;
    }

    /** @param result with the pods of lower priority */
    private GangAnswer withoutLowerPriority(Basis basis, PlanningResult result) {
        Optional<GroupPlan> plan = planner.withoutLowerPriority(basis);
        if (plan.isEmpty()) {
            report(Outcome.REFUSED, result);
            return GangAnswer.DOES_NOT_FIT;
        }
        add(reservations.next(), plan.get(), basis, State.AWAITS_EVICTIONS);
        report(Outcome.PLANNED_WITHOUT_LOWER_PRIORITY, result);
        return planned(plan.get());
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

    /** Returns whether the nodes have not changed since they were read. */
    private boolean reserve(GroupPlan plan, Basis basis) {
        long number = reservations.next();
        boolean done = reservations.reserve(number, plan, basis.uses());
        if (done) {
            add(number, plan, basis, State.RESERVED);
        }
        return done;
    }

    private void add(long number, GroupPlan plan, Basis basis, State state) {
        ActivePlan active = new ActivePlan(number, plan, basis.feasible(), state, nanos.getAsLong());
        active.answered(pod, nanos.getAsLong());
        gang.attempt(domain).planned(active);
    }
}
