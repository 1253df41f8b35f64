package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;

import java.util.function.BiPredicate;
import java.util.function.IntUnaryOperator;
import java.util.function.ToLongBiFunction;

/**
 * How a scheduler chooses a node for a pod: of the nodes that fit as far as it knows, one with the largest rank.
 *
 * @param rank of a node that fits
 * @param mostFitting number of nodes → after how many nodes that fit no more nodes are looked at
 */
record NodeChoice(
        BiPredicate<ModelNode, TracePod> fits,
        ToLongBiFunction<ModelNode, TracePod> rank,
        IntUnaryOperator mostFitting) {

    /** The verdict and the rank of the bridge, with its default criteria. */
    static NodeChoice bridge(Strategy strategy) {
        Ranking ranking = new Ranking(ScoringCriterion.DEFAULT, strategy);
        return new NodeChoice(
                (node, pod) -> node.admits(pod.model()),
                (node, pod) -> ranking.rank(node.change(pod.model())),
                nodes -> nodes);
    }

    /**
     * kube-scheduler's plugin NodeResourcesFit: node-level requests only. Scores the resources that the pod requests, with equal weights
     * (pkg/scheduler/framework/plugins/noderesources, least_allocated.go and most_allocated.go). In large clusters, kube-scheduler does
     * not look at all nodes (numFeasibleNodesToFind, pkg/scheduler/schedule_one.go).
     *
     * @param most whether the fullest node is best; otherwise the emptiest is
     */
    static NodeChoice nodeLevel(boolean most) {
        return new NodeChoice(
                (node, pod) -> pod.resources().stream().allMatch(resource -> left(node, pod, resource) >= 0),
                (node, pod) -> score(node, pod, most),
                nodes -> Math.max(100, nodes * Math.max(5, 50 - nodes / 125) / 100));
    }

    private static long left(ModelNode node, TracePod pod, String resource) {
        return node.free(resource) - pod.requested(resource);
    }

    /** 0 to 100. */
    private static long score(ModelNode node, TracePod pod, boolean most) {
        long sum = 0;
        for (String resource : pod.resources()) {
            long percent = left(node, pod, resource) * 100 / node.type().allocatable(resource);
            sum += most ? 100 - percent : percent;
        }
        return sum / pod.resources().size();
    }
}
