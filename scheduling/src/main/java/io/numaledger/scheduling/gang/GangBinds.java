package io.numaledger.scheduling.gang;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.gang.Gang.State;
import io.numaledger.scheduling.group.GroupPlanner;
import io.numaledger.scheduling.group.PlanReservations;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.Reservation;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;

/** What a bind call does to the plans of a gang: it shows which one is taken, and that one is checked once more as a whole. */
final class GangBinds {

    /** How long a pod is not bound because others are to be bound to its node before it. */
    private static final Duration BIND_ORDER_TIMEOUT = Duration.ofSeconds(3);

    private final ClusterState cluster;
    private final PlanReservations reservations;
    private final LongSupplier nanos;
    private final Gangs.Waiting waiting;

    /** @param nanos a clock that does not jump */
    GangBinds(ClusterState cluster, PlanReservations reservations, LongSupplier nanos, Gangs.Waiting waiting) {
        this.cluster = cluster;
        this.reservations = reservations;
        this.nanos = nanos;
        this.waiting = waiting;
    }

    /** Why a pod must not be bound; empty: nothing is against it. */
    Optional<String> obstacle(Gang gang, PodFacts pod, String node) {
        synchronized (gang) {
            Optional<ActivePlan> plan = gang.plan(pod, node);
            plan.ifPresent(each -> bindCalled(gang, each));
            return plan.map(ActivePlan::state).flatMap(state -> switch (state) {
                case AWAITS_EVICTIONS ->
                    Optional.of("the pod's group does not fit yet: pods of lower priority have to end first");
                case DISPLACED -> Optional.of("the pod's group does not fit any more: other pods have taken its place");
                case OPEN, REFUSED, RESERVED, BINDING -> Optional.<String>empty();
            });
        }
    }

    private void bindCalled(Gang gang, ActivePlan plan) {
        plan.bindCalled(nanos.getAsLong());
        if (plan.state() == State.AWAITS_EVICTIONS) {
            if (confirm(plan)) {
                plan.reserved();
            } else {
                gang.bindRefused(nanos.getAsLong());
            }
        }
        if (plan.state() == State.RESERVED) {
            if (isDisplaced(plan)) {
                plan.displaced();
            } else {
                plan.binding();
                plan.plan().byNode().keySet().forEach(node -> cluster.reserved().planTaken(node, plan.number()));
            }
        }
        if (plan.state() == State.BINDING) {
            gang.removeAllBut(plan);
        }
    }

    /** A pod of higher priority may have been bound since the plan was made: then none of the group is. */
    private boolean isDisplaced(ActivePlan plan) {
        EvaluationBudget budget = new EvaluationBudget(GroupPlanner.GROUP_WORK);
        return !plan.plan().byNode().entrySet().stream()
                .allMatch(node -> cluster.use(node.getKey(), budget)
                        .flatMap(use -> use.without(any -> false).withAll(node.getValue()))
                        .isPresent());
    }

    /** Whether a group that was planned without pods of lower priority fits with them. */
    private boolean confirm(ActivePlan plan) {
        EvaluationBudget budget = new EvaluationBudget(GroupPlanner.GROUP_WORK);
        List<NodeUse> uses = plan.plan().byNode().keySet().stream()
                .flatMap(node -> cluster.use(node, budget).stream())
                .toList();
        return uses.stream()
                        .allMatch(use -> use.now()
                                .withAll(plan.plan().on(use.node().name()))
                                .isPresent())
                && reservations.reserve(plan.number(), plan.plan(), uses);
    }

    /** Waits until the pods before it are bound. */
    void awaitOrder(PodFacts pod, String node) {
        waiting.uninterrupted(() -> !isBehindOthers(pod, node), BIND_ORDER_TIMEOUT);
    }

    /** Pods of other plans may be bound much later. */
    private boolean isBehindOthers(PodFacts pod, String node) {
        List<Reservation> planned = cluster.reserved().planned(node);
        return planned.stream()
                .filter(each -> each.pod().isSameAs(pod))
                .findFirst()
                .flatMap(own -> planned.stream()
                        .filter(each -> each.plan() == own.plan())
                        .findFirst())
                .filter(first -> !first.pod().isSameAs(pod))
                .isPresent();
    }
}
