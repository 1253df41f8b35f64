package io.numaledger.scheduling.state;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.scheduling.state.PossibleStates.Placements;

import java.util.Optional;
import java.util.function.BiFunction;

/** The pods that are bound to one node and not observed yet, in the order in which they were reserved. The node's lock guards it. */
final class NodeBinds {

    private final NodeParts parts;
    private final NodeSnapshots builds;
    private final CurrentSnapshots current;
    private final PossibleStates possible;
    private final KubeletRejections rejections;
    private final BindOrder order = new BindOrder();
    private int cancellations;

    /**
     * A reservation, and its place in the order of binds.
     *
     * @param cancellations how many reservations had been cancelled by then
     */
    record Reserved(Evaluation evaluation, int cancellations, BindOrder.Ticket ticket) {}

    NodeBinds(NodeParts parts, NodeSnapshots builds, CurrentSnapshots current) {
        this.parts = parts;
        this.builds = builds;
        this.current = current;
        this.possible = builds.possible();
        this.rejections = parts.rejections();
    }

    /**
     * Evaluates a pod in every possible state and, if it fits all of them, reserves the resources of its predicted placement. Absent, and
     * nothing is reserved, for a node that the API server does not show.
     *
     * @param bound the same pod with this node set
     * @param check returns an evaluation that admits the pod, or a refusal
     */
    Optional<Reserved> reserve(
            PodFacts pod, PodFacts bound, BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        if (parts.objects().node().isEmpty()) {
            return Optional.empty();
        }
        Evaluation evaluation = evaluateAndReserve(pod, bound, check);
        boolean holds = evaluation instanceof Fits fits
                && fits.placement().filter(any -> !any.placement().isEmpty()).isPresent();
        return Optional.of(new Reserved(evaluation, cancellations, holds ? order.next() : BindOrder.unordered()));
    }

    /**
     * Returns the evaluation of a reserved pod that is next to be written. It is repeated if an earlier reservation was cancelled. Absent if
     * it must be repeated, and the API server does not show the node any more.
     */
    Optional<Evaluation> confirm(
            Reserved reserved,
            PodFacts pod,
            PodFacts bound,
            BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        if (cancellations == reserved.cancellations()) {
            return Optional.of(reserved.evaluation());
        }
        rejections.remove(pod);
        release(pod);
        return parts.objects().node().map(any -> evaluateAndReserve(pod, bound, check));
    }

    private Evaluation evaluateAndReserve(
            PodFacts pod, PodFacts bound, BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        PossibleSnapshots now = current.upToDate();
        NodeUse known = current.use()
                .orElseThrow()
                .within(EvaluationBudget.ofCall(pod, 1, parts.shared().costlyPods()));
        Evaluation evaluation = Feasibility.of(known).verdict(pod, byZones -> {
            Evaluation beside = byZones.unless(() -> outOf(pod, known));
            return beside.admits() ? check.apply(now, beside) : beside;
        });
        if (evaluation.admits()) {
            parts.shared().nodesOfPods().add(bound, parts.name());
            rejections.bound(bound, evaluation);
            if (parts.reservations().removePlanned(each -> each.pod().isSameAs(pod))) {
                current.changed();
            }
        }
        Placements placements = builds.placements(bound, evaluation);
        if (!placements.possible().isEmpty()) {
            possible.add(bound, placements, parts.pods().terminating(), parts.isObserving());
            current.changed();
        } else if (evaluation.admits()) {
            current.requestsChanged();
        }
        return evaluation;
    }

    /** Schedulers choose nodes without knowing what others have just bound. */
    private static Optional<Refused> outOf(PodFacts pod, NodeUse now) {
        return NodeFit.outOf(now.node(), pod, now.pods())
                .map(why -> Refused.of(RefusalReason.NODE_DOES_NOT_FIT, why, false));
    }

    /** Ends the reservation of a pod that is observed, has ended or is deleted. */
    Optional<PodInFlight> release(PodFacts pod) {
        Optional<PodInFlight> released =
                pod.observed() && parts.objects().node().isPresent()
                        ? possible.observed(pod, parts.isObserving())
                        : possible.remove(pod.key());
        if (released.isPresent()) {
            current.changed();
        }
        return released;
    }

    /** Cancels the reservation of exactly this instance of a pod, which was not bound after all. */
    void cancel(PodFacts pod) {
        if (rejections.remove(pod).isPresent()) {
            current.requestsChanged();
        }
        if (reservation(pod.key())
                .filter(reservation -> reservation.pod().isSameAs(pod))
                .isPresent()) {
            release(pod);
            cancellations++;
        }
    }

    Optional<PodInFlight> reservation(String podKey) {
        return Optional.ofNullable(possible.reservations().get(podKey));
    }

    /** The kubelet has started a pod. */
    void started(PodFacts pod) {
        if (rejections.started(pod)) {
            current.changed();
        }
    }

    /**
     * A pod has failed. If it was bound by this bridge and never started, the kubelet has rejected it, and equal pods are not
     * sent to this node again at once.
     *
     * @return why the pod had been bound, if the kubelet has rejected it
     */
    Optional<Evaluation> failed(PodFacts pod) {
        Optional<Evaluation> bound = rejections.remove(pod);
        if (bound.isPresent()) {
            rejections.rejected(pod);
            current.changed();
        }
        return bound;
    }
}
