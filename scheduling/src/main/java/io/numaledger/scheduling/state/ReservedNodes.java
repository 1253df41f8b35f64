package io.numaledger.scheduling.state;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.scheduling.state.Reservation.Reason;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The reservations of all nodes for pods that are not bound yet: those of nominated pods, and those of plans of groups. Thread-safe. */
public final class ReservedNodes {

    private final ClusterNodes nodes;
    private final NominatedPods nominated;
    private final AtomicInteger plannedPods;

    ReservedNodes(ClusterNodes nodes, NominatedPods nominated, AtomicInteger plannedPods) {
        this.nodes = nodes;
        this.nominated = nominated;
        this.plannedPods = plannedPods;
    }

    /** Whether no node is reserved. */
    public boolean isEmpty() {
        return nominated.isEmpty() && !hasPlanned();
    }

    /** Why a node refuses a pod that it has room for: others go before the pod, and it would take their place. */
    public Optional<Refused> refusal(String node, PodFacts pod, EvaluationBudget budget) {
        return nodes.find(node).flatMap(known -> known.refusal(pod, budget));
    }

    /** Pods for which a node is reserved and whose place this one must not take, the most important first. */
    public List<PodFacts> before(PodFacts pod, String node) {
        return reservations(pod, node).map(Reservation::pod).toList();
    }

    /** Pods that are nominated for a node, not planned, and whose place this one must not take, the most important first. */
    public List<PodFacts> nominatedBefore(PodFacts pod, String node) {
        return reservations(pod, node)
                .filter(each -> each.reason() == Reason.NOMINATED)
                .map(Reservation::pod)
                .toList();
    }

    private Stream<Reservation> reservations(PodFacts pod, String node) {
        return nodes.find(node).stream().flatMap(known -> known.reservations().before(pod).stream());
    }

    // ---- plans of groups

    /**
     * Reserves a node for pods of a group, until {@link #removePlan}.
     *
     * @param seen what the plan is based on
     * @return whether the node has not changed since; if it has, nothing is reserved
     */
    public boolean plan(NodeUse seen, long plan, List<PodFacts> planned) {
        return plan(seen, plan, planned, Set.of());
    }

    /**
     * Reserves a node for pods of a group that do not fit yet, until {@link #removePlan}.
     *
     * @param awaited the UIDs of pods that have to end first, here or elsewhere
     */
    public boolean plan(NodeUse seen, long plan, List<PodFacts> planned, Set<String> awaited) {
        Set<String> here = seen.pods().stream()
                .flatMap(pod -> pod.uid().stream())
                .filter(awaited::contains)
                .collect(Collectors.toSet());
        List<Reservation> reservations = planned.stream()
                .map(pod -> Reservation.planned(pod, plan, here))
                .toList();
        return nodes.find(seen.node().name())
                .filter(node -> node.plan(seen, reservations))
                .isPresent();
    }

    /** The pods of a plan are being bound: until it ends, pods of higher priority do not take their place either. */
    public void planTaken(String node, long plan) {
        nodes.find(node).ifPresent(known -> known.planTaken(plan));
    }

    /** The reservations of a node for pods of groups, in the order in which they should be bound. */
    public List<Reservation> planned(String node) {
        return nodes.find(node).map(known -> known.reservations().planned()).orElse(List.of());
    }

    /** Whether any pods are planned. */
    public boolean hasPlanned() {
        return plannedPods.get() > 0;
    }

    /** Ends a plan's reservations of a node. */
    public void removePlan(String node, long plan) {
        nodes.find(node).ifPresent(known -> known.removePlanned(each -> each.plan() == plan));
    }

    /** Ends the reservation of a node for one pod of a group. */
    public void removePlanned(String node, PodFacts pod) {
        nodes.find(node).ifPresent(known -> known.removePlanned(isFor(pod)));
    }

    private static Predicate<Reservation> isFor(PodFacts pod) {
        return each -> each.pod().isSameAs(pod);
    }
}
