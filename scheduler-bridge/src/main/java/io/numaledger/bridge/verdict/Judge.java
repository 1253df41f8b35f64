package io.numaledger.bridge.verdict;

import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.Trial;
import io.numaledger.bridge.span.SpanCeiling;
import io.numaledger.bridge.span.SpanCheck;
import io.numaledger.bridge.verdict.Verdict.Code;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.answer.Refusal;
import io.numaledger.kubelet.answer.Why;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

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

    /** On the node without any pod: what does not fit there never fits. */
    public static Verdict onEmptyNode(NodePicture node, PodFacts pod) {
        return on(node, Outcomes.empty(node), pod);
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

    /** What holds on every node in the same state. */
    static Outcome outcome(NodePicture node, PodFacts pod) {
        Verdict verdict = now(node, pod);
        boolean never = !verdict.fits() && !onEmptyNode(node, pod).fits();
        String sentence = verdict.why().isEmpty()
                ? verdict.sentence()
                : Refusals.sentence(Refusals.decisive(verdict.why()).orElseThrow(), false);
        Optional<NodeState> after = verdict.fits()
                ? node.now()
                        .map(state -> Trial.of(node.model().kubelet().orElseThrow(), state, pod.request())
                                .after())
                : Optional.empty();
        return new Outcome(
                verdict.code(),
                sentence,
                never,
                verdict.mask(),
                verdict.placement(),
                node.model().kubelet(),
                node.now(),
                after);
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
