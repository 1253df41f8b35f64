package io.numaledger.bridge.explain;

import io.numaledger.bridge.evaluation.Evaluation;
import io.numaledger.bridge.evaluation.FullModel;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.kubelet.NodeState;

import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Why a pod fits a node or not.
 *
 * @param advice the smallest change with which a refused pod would fit
 */
public record Explanation(NodeSnapshot node, Evaluation evaluation, Optional<String> advice) {

    /** Explains the node as it is now. A pod that already holds resources there is taken to have ended. */
    public static Explanation of(NodeSnapshot node, PodFacts pod) {
        return without(node, List.of(), pod);
    }

    /** Explains the node as it would be after these pods have ended. */
    public static Explanation without(NodeSnapshot node, List<String> ended, PodFacts pod) {
        TreeSet<String> gone = new TreeSet<>(ended);
        node.pods().stream().map(held -> held.key()).filter(pod.key()::equals).forEach(gone::add);
        Optional<NodeState> state = gone.isEmpty() ? node.now() : Advice.without(node, gone);
        Evaluation evaluation = FullModel.evaluate(node, state, pod);
        Optional<String> advice = gone.isEmpty() ? Advice.of(node, pod, evaluation) : Optional.empty();
        return new Explanation(node, evaluation, advice);
    }
}
