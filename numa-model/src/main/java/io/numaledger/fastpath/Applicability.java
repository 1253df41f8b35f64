package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;
import io.numaledger.kubelet.config.TopologyPolicyName;

/**
 * Decides when a result of the fast path equals that of the full model. All of these must hold:
 *
 * <ul>
 *   <li>The pod has no resources at pod level, and every amount is one that the kubelet can read, and not 0.
 *   <li>What init containers take is reused by exactly one container, in one zone, which requests all the types of memory that
 *       they request; and {@code full-pcpus-only} is off.
 *   <li>Each requested device has exactly one NUMA node; or no device of that resource has one, and enough are free.
 *   <li>The node knows all requested types of memory, or manages none of them.
 *   <li>Only the last container spans several zones: how much an earlier one takes from each depends on cores and ids. With
 *       {@code align-by-socket} and several zones per socket, the pod has a single container.
 *   <li>Under {@code best-effort}, a preferred hint exists.
 *   <li>The whole node has enough of everything, because the managers notice a shortage one after another. A shortage of memory
 *       alone is decided for pods of one container, if the zone that has all the rest lacks the memory too.
 * </ul>
 *
 * <p>{@link FastPathModel#placesExactly} states when its zones and amounts are exact, too.
 */
final class Applicability {

    private Applicability() {}

    /** Judges the last result of the evaluator. */
    static boolean applies(FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod, Verdict verdict) {
        if (!pod.simple || !knowsMemory(node.layout, pod.whole)) {
            return false;
        }
        if (!requestsAligned(node.layout, pod.whole)) {
            return true;
        }
        return switch (verdict) {
            case INSUFFICIENT, UNDECIDED -> false;
            case INSUFFICIENT_MEMORY ->
                pod.containers.length == 1
                        && (node.layout.policy == TopologyPolicyName.NONE || !restHasRoom(evaluator, node, pod));
            case ADMITTED, NOT_ALIGNED, NOT_FULL_CORES ->
                !(pod.reuses && verdict == Verdict.ADMITTED && Long.bitCount(evaluator.zones()) > 1)
                        && isDetermined(evaluator, node, pod, verdict);
        };
    }

    private static boolean isDetermined(
            FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod, Verdict verdict) {
        boolean inSequence =
                node.layout.policy == TopologyPolicyName.NONE || FastPathEvaluator.isByContainer(node, pod);
        if (inSequence) {
            return evaluator.sequence().isDetermined();
        }
        return verdict != Verdict.ADMITTED || evaluator.zones() != FastPathEvaluator.NO_ZONES;
    }

    /** The node aligns a requested resource. */
    static boolean requestsAligned(NodeLayout layout, Request request) {
        for (int resource : request.resources) {
            if (layout.row(resource) >= 0) {
                return true;
            }
        }
        return false;
    }

    private static boolean knowsMemory(NodeLayout layout, Request request) {
        int known = 0;
        for (int i = 0; i < request.memoryTypes; i++) {
            known += layout.row(request.resources[i]) >= 0 ? 1 : 0;
        }
        return known == 0 || known == request.memoryTypes;
    }

    /**
     * The zone that has everything else has room for each type of memory by itself: the kubelet may then give the memory there,
     * against its hints. Also true where that is not exactly one zone.
     */
    private static boolean restHasRoom(FastPathEvaluator evaluator, NodeCounts node, CompiledPod pod) {
        long rest = evaluator.zones();
        return Long.bitCount(rest) != 1 || hasRoom(node, pod.whole, Long.numberOfTrailingZeros(rest));
    }

    private static boolean hasRoom(NodeCounts node, Request request, int zone) {
        for (int i = 0; i < request.memoryTypes; i++) {
            int row = node.layout.row(request.resources[i]);
            if (node.free[row * node.layout.zones + zone] < request.needs[i]) {
                return false;
            }
        }
        return true;
    }
}
