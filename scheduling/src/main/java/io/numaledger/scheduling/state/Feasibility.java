package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.ReservedRoom;
import io.numaledger.evaluation.fit.SchedulingRequest;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.scheduling.state.Reservation.Reason;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;

/**
 * Whether a pod may start on one node: now, or in a trial, when some of its pods have ended. One answer for all who ask: the node's
 * constraints and ports, what its pods request, zones and claims in every possible state, before and after its terminating pods have ended,
 * and the pods for which it is reserved, all together. Immutable.
 */
public final class Feasibility {

    private final NodeUse use;
    private final TentativeNode now;
    private final List<PodFacts> pods;
    private final List<PodFacts> terminating;

    /** @param pods on the node, those included that are terminating */
    private Feasibility(NodeUse use, TentativeNode now, List<PodFacts> pods) {
        this.use = use;
        this.now = now;
        this.pods = pods;
        this.terminating = pods.stream().filter(PodFacts::terminating).toList();
    }

    /** The feasibility on a node as it is now. */
    public static Feasibility of(NodeUse use) {
        return new Feasibility(use, use.beforeReleases(), use.pods());
    }

    /**
     * The feasibility on a node in a trial, in which some of its pods have ended, and others have come.
     *
     * @param now the node in the trial
     * @param pods on it in the trial
     */
    public static Feasibility of(NodeUse use, TentativeNode now, List<PodFacts> pods) {
        return new Feasibility(use, now, pods);
    }

    /** The feasibility when the node's terminating pods have ended. */
    public Feasibility afterReleases() {
        return new Feasibility(use, released(now), left(terminating));
    }

    private TentativeNode released(TentativeNode node) {
        return terminating.isEmpty() ? node : node.released(terminating);
    }

    /** The feasibility when some pods have ended, too. */
    public Feasibility without(Collection<PodFacts> ended) {
        return ended.isEmpty() ? this : new Feasibility(use, now.without(ended), left(ended));
    }

    /** The feasibility when the node is uncordoned. */
    public Feasibility uncordoned() {
        return new Feasibility(use, now.uncordoned(), pods);
    }

    private List<PodFacts> left(Collection<PodFacts> ended) {
        Set<String> keys = ended.stream().map(PodFacts::key).collect(Collectors.toSet());
        return pods.stream().filter(pod -> !keys.contains(pod.key())).toList();
    }

    /** Whether the node has what the pod requests of it as a whole, ports included. */
    public boolean hasRoom(PodFacts pod) {
        return now.hasRoom(pod, List.of());
    }

    /** What of the node as a whole keeps the pod away: its constraints, ports, and what its pods request. */
    public Optional<Refused> obstacle(PodFacts pod) {
        return now.obstacle(pod);
    }

    /** Whether the pod may start. */
    public boolean takes(PodFacts pod) {
        return obstacle(pod).isEmpty() && fits(pod) && reserved(pod).isEmpty();
    }

    /** The node with the pod, if it may start there. */
    public Optional<TentativeNode> with(PodFacts pod) {
        return obstacle(pod).isPresent()
                ? Optional.empty()
                : now.with(pod)
                        .filter(any -> fitsAfterReleases(pod) && reserved(pod).isEmpty());
    }

    /** Whether it may start even when those have started that go before it. */
    public boolean takesBesideReserved(PodFacts pod) {
        List<PodFacts> before = Precedence.before(
                        use.reserved(), pod, use.node().name())
                .stream()
                .map(Reservation::pod)
                .toList();
        return takes(pod)
                && now.hasRoom(pod, before)
                && (before.isEmpty() || now.withFitting(before).with(pod).isPresent());
    }

    /** Whether it is not known, as that is too costly to evaluate. */
    public boolean isNotEvaluated(PodFacts pod) {
        return now.isNotEvaluated(pod);
    }

    /**
     * The verdict on a pod that schedulers would send here, with its reason: by zones, as {@link #byZones}; by what the caller knows; and beside
     * the pods that go before it.
     *
     * @param known what to make of an evaluation that admits the pod
     */
    Evaluation verdict(PodFacts pod, UnaryOperator<Evaluation> known) {
        Evaluation byZones = byZones(pod);
        return (byZones.admits() ? known.apply(byZones) : byZones).unless(() -> reserved(pod));
    }

    /**
     * The evaluation by zones in the likeliest state, or the refusal in another one that is possible now, or when terminating pods have ended: all,
     * or some of them.
     */
    public Evaluation byZones(PodFacts pod) {
        Evaluation evaluation = now.evaluate(pod, PossibleSnapshots.PLACED_OTHERWISE)
                .unless(() -> terminating.isEmpty()
                        ? Optional.empty()
                        : released(now)
                                .evaluate(pod, "")
                                .refused()
                                .map(refused -> refused.explained(PossibleSnapshots.AFTER_RELEASES)));
        boolean isTrial = pods.size() < use.pods().size();
        return isTrial
                ? evaluation
                : evaluation
                        .unless(() -> use.snapshots().waits(pod, SchedulingRequest.of(pod)))
                        .unless(() -> use.snapshots().afterSomeReleases(pod));
    }

    /** Why the node as a whole does not take the pod, a sentence each. */
    public List<String> nodeReasons(PodFacts pod) {
        return NodeFit.reasons(use.node(), pod, pods);
    }

    /** Whether the pod fits by zones, as {@link #byZones} decides but without reasons, and by claims. */
    private boolean fits(PodFacts pod) {
        return now.admitsByZones(pod) && fitsAfterReleases(pod);
    }

    private boolean fitsAfterReleases(PodFacts pod) {
        return (terminating.isEmpty() || released(now).admitsByZones(pod))
                && use.snapshots().waits(pod, SchedulingRequest.of(pod)).isEmpty();
    }

    /** Why the pod, which fits, must leave the node to others: it would take the place of pods that go before it. */
    public Optional<Refused> reserved(PodFacts pod) {
        List<Reservation> before =
                Precedence.before(use.reserved(), pod, use.node().name());
        if (before.isEmpty() || !displaces(pod, before)) {
            return Optional.empty();
        }
        boolean isNominated = before.stream().anyMatch(each -> each.reason() == Reason.NOMINATED);
        return Optional.of((isNominated ? Reason.NOMINATED : Reason.GROUP).refusal());
    }

    /**
     * Whether the pod takes the room of pods for which this node is reserved, see {@link ReservedRoom}: now, or when the terminating pods have
     * ended, or those that a planned pod awaits. A pod that is too costly to evaluate does.
     */
    public boolean displaces(PodFacts pod, List<Reservation> before) {
        boolean displaces = takesRoom(pod, before);
        return !use.budget().isUsedUp() && (displaces || use.budget().of(pod).isPartUsedUp());
    }

    private boolean takesRoom(PodFacts pod, List<Reservation> before) {
        List<PodFacts> reserved = before.stream().map(Reservation::pod).toList();
        Optional<TentativeNode> with = now.with(pod);
        if (terminating.isEmpty()) {
            return ReservedRoom.isTaken(now, with, reserved) || displacesAwaiting(with, pod, before);
        }
        TentativeNode after = released(now);
        return with.isEmpty()
                ? ReservedRoom.isTaken(after, after.with(pod), reserved)
                : ReservedRoom.isTaken(now, with, reserved)
                        || ReservedRoom.isTaken(after, with.map(this::released), reserved)
                        || displacesAwaiting(with, pod, before);
    }

    /** The pod fits now, and not all planned pods fit beside it when those have ended that they await. */
    private boolean displacesAwaiting(Optional<TentativeNode> with, PodFacts pod, List<Reservation> before) {
        List<Reservation> planned =
                before.stream().filter(each -> each.reason() == Reason.GROUP).toList();
        return with.isPresent()
                && planned.stream().anyMatch(Reservation::awaitsOthers)
                && use.expecting(now, planned, this::hasEnded).with(pod).isEmpty();
    }

    private boolean hasEnded(PodFacts pod) {
        return pods.stream().noneMatch(left -> left.key().equals(pod.key()));
    }
}
