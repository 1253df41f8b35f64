package io.numaledger.evaluation.fit;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.Evaluation.Unknown;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.evaluation.link.GpuLinks;
import io.numaledger.evaluation.link.LinkCheck;
import io.numaledger.evaluation.score.PlacementChange;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.snapshot.DryRun;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.UnknownNodeAction;
import io.numaledger.evaluation.snapshot.UnknownPart;
import io.numaledger.evaluation.spread.MaxNumaSpread;
import io.numaledger.evaluation.spread.SpreadCheck;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.Placement;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;

/**
 * Evaluates a pod on a node with the full kubelet model, by zones. A node of which nothing is known gets the result {@link Unknown}. Whether
 * a pod fits beside others, or after others have ended, says {@link TentativeNode}.
 */
public final class FullModel {

    private static final String LINKS_MISSING = "the pod's GPUs could lack the links that it demands";

    private FullModel() {}

    /** Evaluates a pod on the node with all pods that hold something now: with the placement, and with the holders of what is missing. */
    public static Evaluation evaluate(NodeSnapshot node, PodFacts pod) {
        return evaluate(node, node.now(), pod);
    }

    /** Evaluates a pod on any state of the node: with the placement, and with the holders of what is missing. */
    public static Evaluation evaluate(NodeSnapshot node, Optional<NodeState> state, PodFacts pod) {
        Evaluation evaluation = evaluateOnce(node, state, pod);
        if (evaluation instanceof Refused refused && state.isPresent()) {
            Optional<NodeState> empty = node.model().kubelet().map(KubeletModel::empty);
            return refused.orOnEmpty(evaluateOnce(node, empty, pod).refused().map(Refused::summary));
        }
        return evaluation;
    }

    /** What the kubelet would give to a pod in this state of the node; absent where that is not known, or it refuses the pod. */
    public static Optional<Placement> placement(NodeSnapshot node, Optional<NodeState> state, PodFacts pod) {
        return evaluateOnce(node, state, pod) instanceof Fits fits
                ? fits.placement().map(PredictedPlacement::placement)
                : Optional.empty();
    }

    /** Whether this state of the node admits a pod; costs half of {@link #evaluate}. */
    static boolean admits(NodeSnapshot node, Optional<NodeState> state, PodFacts pod) {
        return evaluateOnce(node, state, pod).admits();
    }

    /**
     * The states in which the node's kubelet may be after the pod has started, as it draws devices, the likeliest first; none if the node does
     * not admit the pod in this state.
     */
    static List<NodeState> after(NodeSnapshot node, NodeState state, PodFacts pod) {
        if ((isConditional(pod) || node.unknowns().about(pod.request()).isPresent())
                && !admits(node, Optional.of(state), pod)) {
            return List.of();
        }
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        List<DryRun> possible =
                DryRun.of(kubelet, state, known(node, pod.request())).all();
        return possible.stream().allMatch(each -> each.placed().isPresent())
                ? possible.stream()
                        .map(each -> each.placed().orElseThrow().after())
                        .toList()
                : List.of();
    }

    /** Whether more than the kubelet decides on the pod: the node refuses it although its kubelet would admit it. */
    public static boolean isConditional(PodFacts pod) {
        return pod.annotation(Annotations.MAX_NUMA_SPREAD).isPresent()
                || pod.annotation(Annotations.GPU_LINKS).isPresent();
    }

    private static Evaluation evaluateOnce(NodeSnapshot node, Optional<NodeState> state, PodFacts pod) {
        Optional<MaxNumaSpread> maxSpread;
        try {
            maxSpread = MaxNumaSpread.of(pod);
        } catch (IllegalArgumentException e) {
            return Refused.of(RefusalReason.NUMA_SPREAD_INVALID, String.valueOf(e.getMessage()), true);
        }
        Optional<LinkDemand> links;
        try {
            links = GpuLinks.of(pod);
        } catch (IllegalArgumentException e) {
            return Refused.of(RefusalReason.GPU_LINKS_INVALID, String.valueOf(e.getMessage()), true);
        }
        Optional<KubeletModel> kubelet = node.model().kubelet();
        if (kubelet.isEmpty() || state.isEmpty()) {
            return links.isPresent() ? unknownLinks() : unknown(node, pod, maxSpread);
        }
        Optional<UnknownPart> unknown = node.unknowns().about(pod.request());
        if (unknown.isPresent()) {
            return pending(unknown.get());
        }
        PodFacts known = node.model().leftOut().isEmpty() ? pod : pod.requesting(known(node, pod.request()));
        Evaluation evaluation = evaluate(kubelet.get(), state.get(), known, maxSpread);
        return links.isPresent() && evaluation.admits()
                ? linked(links.get(), node, state.get(), known, evaluation)
                : evaluation;
    }

    /** The evaluation of a pod that demands links of its GPUs, on a node that admits it otherwise. */
    private static Evaluation linked(
            LinkDemand links, NodeSnapshot node, NodeState state, PodFacts pod, Evaluation evaluation) {
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        Optional<DryRun.Placed> placed =
                DryRun.of(kubelet, state, pod.request()).first().placed();
        if (placed.isEmpty()) {
            return unknownLinks();
        }
        return LinkCheck.violation(links, node, kubelet.removeStaleState(state), placed.get())
                .<Evaluation>map(why ->
                        new Refused(RefusalReason.GPU_LINKS_MISSING, LINKS_MISSING, Sentence.of(why), List.of(), false))
                .orElse(evaluation);
    }

    /** How good the links are that a pod gets on a node that admits it, see {@link LinkCheck#score}. */
    public static int linkScore(NodeSnapshot node, PodFacts pod) {
        KubeletModel kubelet = node.model().kubelet().orElseThrow();
        NodeState state = node.now().orElseThrow();
        return DryRun.of(kubelet, state, pod.request())
                .first()
                .placed()
                .map(placed -> LinkCheck.score(node, kubelet.removeStaleState(state), placed))
                .orElse(0);
    }

    /** The evaluation of a pod that demands links of its GPUs, on a node without a model. */
    private static Evaluation unknownLinks() {
        return Refused.of(
                RefusalReason.GPU_LINKS_MISSING,
                "the pod demands links of its GPUs, and this node's zones are unknown",
                true);
    }

    private static Evaluation evaluate(
            KubeletModel kubelet, NodeState state, PodFacts pod, Optional<MaxNumaSpread> maxSpread) {
        DryRun.Possible possible = DryRun.of(kubelet, state, pod.request());
        Evaluation first = evaluate(kubelet, state, pod, maxSpread, possible.first());
        if (!(first instanceof Fits fits) || (possible.all().size() == 1 && possible.complete())) {
            return first;
        }
        List<PredictedPlacement.Drawn> others = new ArrayList<>();
        for (DryRun other : possible.all().subList(1, possible.all().size())) {
            Evaluation evaluation = evaluate(kubelet, state, pod, maxSpread, other);
            if (evaluation instanceof Refused refused) {
                return refused.explained(", if the kubelet draws other devices of those that are equally good");
            }
            other.placed()
                    .ifPresent(placed ->
                            others.add(new PredictedPlacement.Drawn(placed.placement(), placed.allocation())));
        }
        return new Fits(
                fits.rank(),
                fits.placement()
                        .map(drawn -> new PredictedPlacement(
                                drawn.numaNodes(),
                                drawn.placement(),
                                drawn.allocation(),
                                others,
                                possible.complete())));
    }

    private static Evaluation evaluate(
            KubeletModel kubelet, NodeState state, PodFacts pod, Optional<MaxNumaSpread> maxSpread, DryRun dryRun) {
        if (dryRun.placed().isEmpty()) {
            return dryRun.admission() instanceof Admission.Refused refused
                    ? ImpossibleDevices.named(
                            kubelet,
                            new Refused(
                                    RefusalReason.of(refused.refusal().reason()),
                                    RefusalSummary.of(refused.refusal()),
                                    RefusalExplanation.sentence(kubelet, state, pod.request(), refused),
                                    refused.refusal().resources(),
                                    false))
                    : refused(dryRun.admission());
        }
        DryRun.Placed placed = dryRun.placed().get();
        Optional<String> violation =
                maxSpread.flatMap(max -> SpreadCheck.violation(max, kubelet, kubelet.removeStaleState(state), placed));
        return violation.isPresent()
                ? new Refused(
                        RefusalReason.NUMA_SPREAD_EXCEEDED,
                        "the pod would use more than %s"
                                .formatted(maxSpread.orElseThrow().zonesText()),
                        Sentence.of(violation.get()),
                        List.of(),
                        false)
                : new Fits(
                        Ranking.LOWEST,
                        Optional.of(new PredictedPlacement(
                                numaNodes(placed.admitted().hints()),
                                placed.placement(),
                                placed.allocation(),
                                List.of(),
                                true)));
    }

    /** Evaluates a pod without maximum spread on a node without pods. */
    static Evaluation evaluateEmpty(KubeletModel kubelet, PodFacts pod) {
        return evaluate(kubelet, kubelet.empty(), pod, Optional.empty());
    }

    /**
     * Evaluates a pod on all nodes of a class: with the rank, and without placement and holders.
     *
     * @param now the state of any node of the class
     */
    public static Evaluation evaluate(
            NodeEquivalenceClass nodes, NodeState now, PreparedPod prepared, Ranking ranking) {
        KubeletModel kubelet = nodes.type().kubelet();
        PodFacts pod = prepared.facts();
        Optional<MaxNumaSpread> maxSpread = prepared.request().maxSpread();
        NodeState state = nodes.anonymous(now);
        List<Decision> decisions =
                kubelet.possibleDecisions(state, pod.request()).decisions();
        Optional<Admission> refusing = decisions.stream()
                .map(Decision::admission)
                .filter(admission -> !admission.isAdmitted())
                .findFirst();
        Evaluation evaluation = refusing.isPresent()
                ? refused(refusing.get())
                : maxSpread.isPresent()
                        ? evaluate(kubelet, state, pod, maxSpread)
                        : new Fits(Ranking.LOWEST, Optional.empty());
        if (evaluation instanceof Refused plain) {
            Refused refused = ImpossibleDevices.named(kubelet, plain);
            Optional<String> ofEmpty = prepared.results()
                    .refusals(
                            nodes.type(),
                            () -> evaluate(kubelet, kubelet.empty(), pod, maxSpread)
                                    .refused()
                                    .map(Refused::summary))
                    .ofEmpty();
            return new Refused(refused.reason(), refused.summary(), refused.message(), List.of(), false)
                    .orOnEmpty(ofEmpty);
        }
        NodeState after = kubelet.started(decisions.get(0).state(), pod.request());
        return new Fits(ranking.rank(change(nodes, after)), Optional.empty());
    }

    /** What the model decides on: a policy that admits pods to unknown zones takes the rest as not aligned. */
    private static PodRequest known(NodeSnapshot node, PodRequest request) {
        SortedSet<String> leftOut = node.model().leftOut();
        return leftOut.isEmpty() ? request : request.without(leftOut);
    }

    private static Refused pending(UnknownPart part) {
        RefusalReason reason = part.isRestart()
                ? RefusalReason.KUBELET_RESTARTING
                : part.action() == UnknownNodeAction.HOLD ? RefusalReason.ZONES_PENDING : RefusalReason.ZONES_UNKNOWN;
        String resources = String.join(", ", part.resources());
        String summary = part.isRestart()
                ? "waits for the node's kubelet"
                : (part.action() == UnknownNodeAction.HOLD ? "waits for the node's zones of " : "unknown zones of ")
                        + resources;
        return Refused.of(reason, summary, true).explained(Sentence.of(": ").plus(part.sentence()));
    }

    /** Evaluates a pod on a node of which nothing is known. */
    private static Evaluation unknown(NodeSnapshot node, PodFacts pod, Optional<MaxNumaSpread> maxSpread) {
        if (maxSpread.isPresent()) {
            return Refused.of(
                    RefusalReason.NUMA_SPREAD_EXCEEDED,
                    "the pod limits its NUMA spread, and this node's zones are unknown",
                    true);
        }
        UnknownNodeAction action = pod.needsAlignment(node.node().constraints().draBacked())
                ? node.unknowns().withoutModel()
                : UnknownNodeAction.ADMIT;
        return switch (action) {
            case ADMIT -> new Unknown(node.reason());
            case HOLD ->
                Refused.of(RefusalReason.ZONES_PENDING, "waits for the node's zones", true)
                        .explained(Sentence.of(": ").plus(node.reason()));
            case REFUSE ->
                Refused.of(RefusalReason.ZONES_UNKNOWN, "the node's zones are unknown", true)
                        .explained(Sentence.of(": ").plus(node.reason()));
        };
    }

    private static PlacementChange change(NodeEquivalenceClass nodes, NodeState after) {
        long[] taken = nodes.type().table().free(after);
        Arrays.setAll(taken, at -> Math.max(0, nodes.free().free(at) - taken[at]));
        return new PlacementChange(nodes.free(), taken);
    }

    private static Evaluation refused(Admission admission) {
        if (admission instanceof Admission.Refused refused) {
            Refusal refusal = refused.refusal();
            RefusalReason reason = RefusalReason.of(refusal.reason());
            return new Refused(
                    reason,
                    RefusalSummary.of(refusal),
                    refusal.resources().isEmpty()
                            ? Sentence.of(refusal.message().orElse("the kubelet would refuse the pod"))
                            : RefusalMessages.sentence(reason, RefusalMessages.decisive(refusal.resources())),
                    refusal.resources(),
                    false);
        }
        if (admission instanceof Admission.KubeletFailure failure) {
            return new Refused(
                    RefusalReason.KUBELET_FAILURE,
                    RefusalSummary.of(failure),
                    Sentence.of(failure.why()),
                    List.of(),
                    false);
        }
        if (admission instanceof Admission.Unsupported unsupported) {
            return new Unknown(Sentence.of(unsupported.why()));
        }
        throw new IllegalArgumentException("an admitted pod is not refused: " + admission);
    }

    private static AffinityMask numaNodes(Admission.Hints hints) {
        return Stream.concat(hints.pod().stream(), hints.byContainer().values().stream())
                .map(TopologyHint::mask)
                .flatMap(Optional::stream)
                .reduce(AffinityMask.NONE, AffinityMask::or);
    }
}
