package io.numaledger.fastpath;

import io.numaledger.fastpath.CompiledPod.Request;
import io.numaledger.kubelet.config.TopologyPolicyName;

import java.util.Arrays;

/**
 * Evaluates containers one after another. Each sees what those before it have taken, and what plain init containers leave for
 * reuse. Reusable CPUs and devices tie the mask to their zones; reusable memory does not. Holds scratch space and the last
 * result.
 */
final class ContainerSequence {

    private final FastPathEvaluator evaluator;
    private long[] free = new long[0];
    private long[] taken = new long[0];
    private long[] reusable = new long[0];
    private MemoryZones memory = MemoryZones.UNUSED;
    private boolean determined;
    private int last;

    ContainerSequence(FastPathEvaluator evaluator) {
        this.evaluator = evaluator;
    }

    /** Evaluates until a container is refused. Afterwards {@code free} is what is left, reusable amounts included. */
    Verdict evaluate(NodeCounts node, CompiledPod pod) {
        NodeLayout layout = node.layout;
        boolean none = layout.policy == TopologyPolicyName.NONE;
        start(node);
        boolean wide = false;
        for (int i = 0; i < pod.containers.length; i++) {
            Request request = pod.containers[i];
            last = i;
            determined &= !wide;
            Verdict verdict = decide(layout, request);
            if (verdict.isRefused()) {
                return verdict;
            }
            long zones = evaluator.zones();
            if (none) {
                wide = zones == FastPathEvaluator.NO_ZONES && request.memoryTypes > 0;
            } else {
                determined &= zones != FastPathEvaluator.NO_ZONES || !Applicability.requestsAligned(layout, request);
                wide = Long.bitCount(zones) > 1 || layout.sockets.length > 0;
            }
            memory = request.memoryTypes > 0 ? memory.with(zones) : memory;
            take(layout, request, none ? FastPathEvaluator.NO_ZONES : zones, zones);
        }
        return Verdict.ADMITTED;
    }

    private void start(NodeCounts node) {
        int length = node.free.length;
        if (taken.length < length) {
            taken = new long[length];
            free = new long[length];
            reusable = new long[length];
        }
        System.arraycopy(node.free, 0, free, 0, length);
        Arrays.fill(reusable, 0, length, 0);
        determined = true;
        memory = node.memory;
    }

    private void take(NodeLayout layout, Request request, long zones, long memoryZones) {
        int length = layout.capacity.length;
        Arrays.fill(taken, 0, length, 0);
        ZoneAllocation.take(layout, request, free, zones, memoryZones, taken);
        for (int at = 0; at < length; at++) {
            long reused = Math.min(taken[at], reusable[at]);
            reusable[at] += request.plainInit ? taken[at] - reused : -reused;
            free[at] -= request.plainInit ? 0 : taken[at];
        }
    }

    /** Writes what the pod takes once its containers run; what init containers keep counts. */
    void place(NodeCounts node, CompiledPod pod, long[] into) {
        evaluate(node, pod);
        for (int i = 0; i < node.free.length; i++) {
            into[i] = node.free[i] - free[i] + reusable[i];
        }
    }

    /**
     * In the last evaluation, the zones of every container but the last are known as far as they matter to those after it; and
     * under a policy that aligns, every container that requests an aligned resource has zones.
     */
    boolean isDetermined() {
        return determined;
    }

    /** The place of the container at which the last evaluation ended. */
    int last() {
        return last;
    }

    /** The amounts that were free then, as the managers report them: reusable CPUs count, reusable devices and memory do not. */
    long[] free(NodeLayout layout, CompiledPod pod) {
        long[] reported = free.clone();
        int cpus = layout.row(pod.containers[last].cpu());
        for (int at = 0; at < reported.length; at++) {
            reported[at] -= at / layout.zones == cpus ? 0 : reusable[at];
        }
        return reported;
    }

    private Verdict decide(NodeLayout layout, Request request) {
        if (layout.policy == TopologyPolicyName.NONE) {
            return evaluator.placeMemory(layout, request, free, memory);
        }
        return evaluator.align(
                layout, request, free, FastPathEvaluator.NOT_COMPUTED, zonesOfReusable(layout, request), memory);
    }

    private long zonesOfReusable(NodeLayout layout, Request request) {
        long zones = 0;
        for (int i = request.memoryTypes; i < request.resources.length; i++) {
            int row = layout.row(request.resources[i]);
            for (int zone = 0; row >= 0 && zone < layout.zones; zone++) {
                if (reusable[row * layout.zones + zone] > 0) {
                    zones |= 1L << zone;
                }
            }
        }
        return zones;
    }
}
