package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;

import java.util.List;

/** How a scheduler chooses a node for a pod: of the nodes that fit as far as it
 * knows, one with the largest rank. */
interface NodeChoice {

    boolean fits(ModelNode node, TracePod pod);

    /** Of a node that fits. */
    long rank(ModelNode node, TracePod pod);

    /** After this many nodes that fit, no more nodes are looked at. */
    int mostFitting(int nodes);

    /** The verdict and the rank of the bridge, with its default criteria. */
    static NodeChoice bridge(Strategy strategy) {
        Ranking ranking = new Ranking(ScoringCriterion.DEFAULT, strategy);
        return new NodeChoice() {
            @Override
            public boolean fits(ModelNode node, TracePod pod) {
                return node.admits(pod.model());
            }

            @Override
            public long rank(ModelNode node, TracePod pod) {
                return ranking.rank(node.change(pod.model()));
            }

            @Override
            public int mostFitting(int nodes) {
                return nodes;
            }
        };
    }

    /**
     * kube-scheduler's plugin NodeResourcesFit: node-level requests only. Scores the resources that the pod requests, with equal weights
     * (pkg/scheduler/framework/plugins/noderesources, least_allocated.go and most_allocated.go). In large clusters, kube-scheduler does
     * not look at all nodes (numFeasibleNodesToFind, pkg/scheduler/schedule_one.go).
     *
     * @param most whether the fullest node is best; otherwise the emptiest is
     */
    static NodeChoice nodeLevel(boolean most) {
        return new NodeChoice() {
            @Override
            public boolean fits(ModelNode node, TracePod pod) {
                return pod.resources().stream().allMatch(resource -> node.free(resource) >= pod.requested(resource));
            }

            @Override
            public long rank(ModelNode node, TracePod pod) {
                List<String> resources = pod.resources();
                long sum = 0;
                for (String resource : resources) {
                    long left = (node.free(resource) - pod.requested(resource))
                            * 100
                            / node.type().allocatable(resource);
                    sum += most ? 100 - left : left;
                }
                return sum / resources.size();
            }

            @Override
            public int mostFitting(int nodes) {
                int percent = Math.max(5, 50 - nodes / 125);
                return Math.max(100, nodes * percent / 100);
            }
        };
    }
}
