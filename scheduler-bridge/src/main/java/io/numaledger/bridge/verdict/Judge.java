package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.Trial;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.ZoneChange;
import io.numaledger.bridge.span.SpanCeiling;
import io.numaledger.bridge.span.SpanCheck;
import io.numaledger.bridge.verdict.Verdict.Code;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Says of a pod and a node what the node's kubelet would. A node of which nothing is known takes every pod. */
public final class Judge {

    private Judge() {}

    /** With everything that holds something now. */
    public static Verdict now(NodePicture node, PodFacts pod) {
        return on(node, node.now(), pod);
    }

    /** Whether another pod fits a node once the first one is there, or cannot come there. */
    public static boolean fitsBeside(NodePicture node, PodFacts first, PodFacts other) {
        return node.model()
                .kubelet()
                .flatMap(kubelet -> node.now().map(state -> Trial.of(kubelet, state, first.request())))
                .filter(trial -> trial.allocation().isPresent())
                .map(trial -> on(node, Optional.of(trial.after()), other).fits())
                .orElse(true);
    }

    /** On the node without any pod: what does not fit there never fits. */
    public static Verdict onEmptyNode(NodePicture node, PodFacts pod) {
        return on(node, node.model().kubelet().map(KubeletModel::empty), pod);
    }

    /** In any state of the node. */
    public static Verdict on(NodePicture node, Optional<NodeState> state, PodFacts pod) {
        Optional<SpanCeiling> ceiling;
        try {
            ceiling = SpanCeiling.of(pod);
        } catch (IllegalArgumentException e) {
            return refused(node, Code.SPAN_INVALID, e.getMessage(), List.of());
        }
        if (node.model().kubelet().isEmpty() || state.isEmpty()) {
            return unknown(node, ceiling);
        }
        KubeletModel kubelet = node.model().kubelet().get();
        Trial trial = Trial.of(kubelet, state.get(), pod.request());
        if (trial.allocation().isPresent() && ceiling.isPresent()) {
            Optional<String> violation = SpanCheck.violation(ceiling.get(), kubelet, kubelet.sweep(state.get()), trial);
            if (violation.isPresent()) {
                return refused(node, Code.SPAN_EXCEEDED, violation.get(), List.of());
            }
        }
        return verdict(node, trial);
    }

    /** Whether a pod without a ceiling fits. */
    static boolean fits(KubeletModel kubelet, NodeState state, PodFacts pod) {
        return kubelet.admit(state, pod.request()).admission().isAdmitted();
    }

    /** What holds on every node in the same condition. */
    static Outcome outcome(NodePicture node, Optional<NodeCondition> condition, Question question, Ranking ranking) {
        if (condition.isPresent()) {
            return outcome(node, condition.get(), question, ranking);
        }
        Verdict verdict = now(node, question.pod());
        return verdict.fits() ? new Outcome(Optional.empty(), "", false, Ranking.UNKNOWN) : refused(verdict, false);
    }

    private static Outcome outcome(NodePicture node, NodeCondition condition, Question question, Ranking ranking) {
        KubeletModel kubelet = condition.kind().kubelet();
        NodeState now = condition.anonymous(node.now().orElseThrow());
        Decision decision = kubelet.admit(now, question.pod().request());
        Verdict verdict = question.shape().ceiling().isPresent()
                ? now(node, question.pod())
                : verdict(node, new Trial(decision.admission(), now, Optional.empty(), Placement.EMPTY));
        if (!verdict.fits()) {
            boolean fitsEmpty = question.answers()
                    .fitsEmpty(
                            condition.kind(),
                            () -> onEmptyNode(node, question.pod()).fits());
            return refused(verdict, fitsEmpty);
        }
        NodeState after = kubelet.started(decision.state(), question.pod().request());
        return new Outcome(Optional.empty(), "", false, ranking.rank(change(condition, after)));
    }

    private static ZoneChange change(NodeCondition condition, NodeState after) {
        long[] taken = condition.kind().table().free(after);
        Arrays.setAll(taken, at -> Math.max(0, condition.free().free(at) - taken[at]));
        return new ZoneChange(condition.free(), taken);
    }

    private static Outcome refused(Verdict verdict, boolean fitsEmpty) {
        String sentence = verdict.why().isEmpty()
                ? verdict.sentence()
                : Refusals.sentence(Refusals.decisive(verdict.why()).orElseThrow(), false);
        return new Outcome(verdict.code(), sentence, !fitsEmpty, Ranking.UNRANKED);
    }

    private static Verdict unknown(NodePicture node, Optional<SpanCeiling> ceiling) {
        if (ceiling.isPresent()) {
            return refused(
                    node,
                    Code.SPAN_EXCEEDED,
                    "pod limits its NUMA zones, and nothing is known of this node's",
                    List.of());
        }
        return new Verdict(
                node.name(),
                Optional.empty(),
                "",
                AffinityMask.NONE,
                Placement.EMPTY,
                Optional.empty(),
                List.of(),
                false,
                node.confidence(),
                node.assumptions());
    }

    private static Verdict verdict(NodePicture node, Trial trial) {
        if (trial.admission() instanceof Admitted admitted) {
            return fitting(node, mask(admitted.hints()), trial, !admitted.open().isEmpty());
        }
        if (trial.admission() instanceof Admission.Refused refused) {
            Refusal refusal = refused.refusal();
            return refused(node, Code.of(refusal.reason()), sentence(refusal), refusal.why());
        }
        if (trial.admission() instanceof Admission.Breaks breaks) {
            return refused(node, Code.KUBELET_BREAKS, breaks.why(), List.of());
        }
        return unknown(node, Optional.empty());
    }

    private static Verdict fitting(NodePicture node, AffinityMask mask, Trial trial, boolean draws) {
        return new Verdict(
                node.name(),
                Optional.empty(),
                "",
                mask,
                trial.placement(),
                trial.allocation(),
                List.of(),
                draws,
                node.confidence(),
                node.assumptions());
    }

    static Verdict refused(NodePicture node, Code code, String sentence, List<Why> why) {
        return new Verdict(
                node.name(),
                Optional.of(code),
                sentence,
                AffinityMask.NONE,
                Placement.EMPTY,
                Optional.empty(),
                why,
                false,
                node.confidence(),
                node.assumptions());
    }

    private static AffinityMask mask(Admission.Hints hints) {
        return Stream.concat(hints.pod().stream(), hints.byContainer().values().stream())
                .map(TopologyHint::mask)
                .flatMap(Optional::stream)
                .reduce(AffinityMask.NONE, AffinityMask::or);
    }

    private static String sentence(Refusal refusal) {
        return Refusals.decisive(refusal.why())
                .map(why -> Refusals.sentence(why, true))
                .orElseGet(() -> refusal.message().orElse("the kubelet would refuse it"));
    }
}
