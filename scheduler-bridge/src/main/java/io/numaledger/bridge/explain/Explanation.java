package io.numaledger.bridge.explain;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;

import java.util.List;
import java.util.Optional;

/**
 * Why a pod fits a node or not.
 *
 * @param advice the smallest change with which a refused pod would fit
 */
public record Explanation(NodeSnapshot node, Evaluation evaluation, Optional<String> advice) {

    /** Explains the node as it is now. */
    public static Explanation of(NodeSnapshot node, PodFacts pod) {
        Evaluation evaluation = FullModel.evaluate(node, pod);
        return new Explanation(node, evaluation, Advice.of(node, pod, evaluation));
    }

    /** Explains the node as it would be after these pods have ended, without advice. */
    public static Explanation without(NodeSnapshot node, List<String> ended, PodFacts pod) {
        Evaluation evaluation = node.now().isEmpty()
                ? FullModel.evaluate(node, pod)
                : FullModel.evaluate(node, Advice.without(node, ended), pod);
        return new Explanation(node, evaluation, Optional.empty());
    }
}
