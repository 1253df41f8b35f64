package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.node.ModelNode;
import io.numaledger.evaluation.score.PlacementChange;
import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.score.ScoringCriterion;
import io.numaledger.evaluation.score.Strategy;

import java.util.List;
import java.util.stream.IntStream;

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
            long begun = IntStream.range(0, node.type().table().zones())
                    .filter(zone -> isWhole(node, change, zone) && takes(node, change, zone))
                    .count();
            return ((100 - begun) << 40) + otherwise.rank(node, change);
        };
    }

    private static boolean isWhole(ModelNode node, PlacementChange change, int zone) {
        return indexes(node, zone)
                .allMatch(at -> change.node().free(at) >= node.type().table().empty(at));
    }

    private static boolean takes(ModelNode node, PlacementChange change, int zone) {
        return indexes(node, zone).anyMatch(at -> change.taken()[at] > 0);
    }

    /** Of a zone in the node's table, for each resource. */
    private static IntStream indexes(ModelNode node, int zone) {
        int zones = node.type().table().zones();
        return IntStream.range(0, node.type().table().resources().size()).map(row -> row * zones + zone);
    }
}
