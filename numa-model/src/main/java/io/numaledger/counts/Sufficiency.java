package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.config.TopologyPolicyName;

/**
 * When an answer from the counts of a {@link CountsForm} is that of the full model. It is, if
 *
 * <ul>
 *   <li>the pod is plain: no resources of its own, no amount that the kubelet cannot read, and none of 0;
 *   <li>what its init containers take is used again by one container alone, in one zone, which asks for all the types of memory that they
 *       ask for; and CPUs are not given out by whole cores only;
 *   <li>each device that it asks for is on one zone, or none of the resource is on any and enough are free;
 *   <li>the node knows all the types of memory that it asks for, or manages none;
 *   <li>no container over several zones comes before another one: which zone it takes how much from hangs on cores and ids; with
 *       {@code align-by-socket} and several zones in a socket, no container before another at all;
 *   <li>a best-effort policy finds a preferred hint;
 *   <li>nothing is short on the whole node, which the managers find out one after the other; or it is the memory of one container, which
 *       the zone that has all the rest has no room for either.
 * </ul>
 *
 * <p>Its zones and amounts are another matter, see {@link CountsForm#placesExactly}.
 */
final class Sufficiency {

    private Sufficiency() {}

    /** Looks at the verdict that this evaluator has just given. */
    static boolean holds(CountsEvaluator evaluator, NodeCounts node, PodAsk ask, long verdict) {
        if (!ask.plain || !knowsMemory(node.shape, ask.whole)) {
            return false;
        }
        if (!isAskedHere(node.shape, ask.whole)) {
            return true;
        }
        if (ask.reuses && verdict > 0 && Long.bitCount(verdict) > 1) {
            return false;
        }
        boolean none = node.shape.policy == TopologyPolicyName.NONE;
        if (verdict == CountsEvaluator.SHORT) {
            return false;
        }
        if (verdict == CountsEvaluator.SHORT_OF_MEMORY) {
            return ask.containers.length == 1 && (none || !restHasRoom(evaluator, node, ask));
        }
        boolean byContainer = none || CountsEvaluator.isByContainer(node, ask);
        return byContainer ? evaluator.run().isNarrow() : verdict != CountsEvaluator.ANYWHERE;
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

    private static boolean knowsMemory(NodeShape shape, Wish wish) {
        int known = 0;
        for (int i = 0; i < wish.memoryTypes; i++) {
            known += shape.row(wish.resources[i]) >= 0 ? 1 : 0;
        }
        return known == 0 || known == wish.memoryTypes;
    }

    /** It may then be given memory there by itself, against what the hints say; also where that is not one zone. */
    private static boolean restHasRoom(CountsEvaluator evaluator, NodeCounts node, PodAsk ask) {
        long rest = evaluator.shortOn();
        return Long.bitCount(rest) != 1 || hasRoom(node, ask.whole, Long.numberOfTrailingZeros(rest));
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
