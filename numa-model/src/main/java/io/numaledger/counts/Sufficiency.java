package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.config.TopologyPolicyName;

/**
 * When an answer from the counts of a {@link CountsForm} is that of the full model, with zones and amounts. A refusal is, and a pod
 * whose every container lies on one zone, if
 *
 * <ul>
 *   <li>the pod is plain: no resources of its own, no init container that takes some, no amount that the kubelet cannot
 *       read, and none of 0;
 *   <li>some zone has room for all of its memory: then memory of several zones, which hangs on groups, is never
 *       preferred and never needed;
 *   <li>it is not short of something on the whole node, which the managers find out one after the other.
 * </ul>
 *
 * <p>A pod over several zones is left to the full model: which zone gives how much hangs on cores and ids.
 */
final class Sufficiency {

    private Sufficiency() {}

    /** Looks at the verdict that this evaluator has just given. */
    static boolean holds(CountsEvaluator evaluator, NodeCounts node, PodAsk ask, long verdict) {
        if (!ask.plain || verdict == CountsEvaluator.SHORT || !memoryHasRoom(node, ask.whole)) {
            return false;
        }
        if (!isAskedHere(node.shape, ask.whole)) {
            return true;
        }
        if (node.shape.policy == TopologyPolicyName.NONE) {
            return false;
        }
        return CountsEvaluator.isByContainer(node, ask)
                ? evaluator.run().isNarrow()
                : verdict == CountsEvaluator.NOT_ALIGNED || Long.bitCount(verdict) == 1;
    }

    /** The node aligns something that is asked for. */
    static boolean isAskedHere(NodeShape shape, Wish wish) {
        for (int resource : wish.resources) {
            if (shape.row(resource) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean memoryHasRoom(NodeCounts node, Wish wish) {
        int known = 0;
        for (int i = 0; i < wish.memoryTypes; i++) {
            known += node.shape.row(wish.resources[i]) >= 0 ? 1 : 0;
        }
        if (known == 0) {
            return true;
        }
        boolean room = false;
        for (int zone = 0; known == wish.memoryTypes && !room && zone < node.shape.zones; zone++) {
            room = hasRoom(node, wish, zone);
        }
        return room;
    }

    private static boolean hasRoom(NodeCounts node, Wish wish, int zone) {
        for (int i = 0; i < wish.memoryTypes; i++) {
            int row = node.shape.row(wish.resources[i]);
            if (node.free[row * node.shape.zones + zone] < wish.needs[i]) {
                return false;
            }
        }
        return true;
    }
}
