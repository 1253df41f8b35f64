package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.evaluation.score.PlacementChange;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;

import java.util.List;

/** Which of the nodes that fit a pod is chosen: the one with the largest rank; of equal ones the emptiest, as kube-scheduler does. */
interface NodeRule {

    long rank(ModelNode node, PlacementChange change);

    /** The bridge's criteria, the first one first. */
    static NodeRule criteria(Strategy strategy, ScoringCriterion... criteria) {
        Ranking ranking = new Ranking(List.of(criteria), strategy);
        return (node, change) -> ranking.rank(change);
    }

    /** The fullest node by requested CPUs, whatever its zones. */
    static NodeRule fullestNode() {
        return (node, change) -> node.requestedCpu() * 1000 / node.type().cpuMillis();
    }

    /** The node that loses the fewest zones from which nothing is taken yet; of equal ones by another rule with ranks below 2^40. */
    static NodeRule wholeZones(NodeRule otherwise) {
        return (node, change) -> {
            long begun = 0;
            for (int zone = 0; zone < node.type().table().zones(); zone++) {
                begun += isWhole(node, change, zone) && takes(node, change, zone) ? 1 : 0;
            }
            return ((100 - begun) << 40) + otherwise.rank(node, change);
        };
    }

    private static boolean isWhole(ModelNode node, PlacementChange change, int zone) {
        for (int row = 0; row < node.type().table().resources().size(); row++) {
            int at = row * node.type().table().zones() + zone;
            if (change.node().free(at) < node.type().table().empty(at)) {
                return false;
            }
        }
        return true;
    }

    private static boolean takes(ModelNode node, PlacementChange change, int zone) {
        for (int row = 0; row < node.type().table().resources().size(); row++) {
            if (change.taken()[row * node.type().table().zones() + zone] > 0) {
                return true;
            }
        }
        return false;
    }
}
