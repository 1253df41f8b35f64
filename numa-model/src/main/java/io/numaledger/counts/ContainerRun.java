package io.numaledger.counts;

import io.numaledger.counts.PodAsk.Wish;
import io.numaledger.kubelet.config.TopologyPolicyName;

import java.util.Arrays;

/**
 * Containers one after the other: each sees what those before it have taken, and what plain init containers leave to be
 * used again. CPUs and devices to be used again bind the mask to their zones; memory does not. Holds scratch space.
 */
final class ContainerRun {

    private final CountsEvaluator evaluator;
    private long[] free = new long[0];
    private long[] taken = new long[0];
    private long[] reusable = new long[0];
    private MemoryZones memory = MemoryZones.UNUSED;
    private boolean narrow;
    private int refused;
    private PodAsk asked;

    ContainerRun(CountsEvaluator evaluator) {
        this.evaluator = evaluator;
    }

    long verdict(NodeCounts node, PodAsk ask) {
        return run(node, ask, taken(node));
    }

    void place(NodeCounts node, PodAsk ask, long[] into) {
        long[] scratch = taken(node);
        run(node, ask, scratch);
        for (int i = 0; i < node.free.length; i++) {
            into[i] = node.free[i] - free[i] + reusable[i];
        }
    }

    private long[] taken(NodeCounts node) {
        if (taken.length < node.free.length) {
            taken = new long[node.free.length];
            free = new long[node.free.length];
            reusable = new long[node.free.length];
        }
        return taken;
    }

    /** Afterwards {@code free} is what is left, with what is still reusable counted as free. */
    private long run(NodeCounts node, PodAsk ask, long[] own) {
        NodeShape shape = node.shape;
        int length = node.free.length;
        System.arraycopy(node.free, 0, free, 0, length);
        Arrays.fill(reusable, 0, length, 0);
        asked = ask;
        narrow = true;
        memory = node.memory;
        boolean wide = false;
        long last = CountsEvaluator.ANYWHERE;
        for (int i = 0; i < ask.containers.length; i++) {
            Wish wish = ask.containers[i];
            narrow &= !wide;
            last = decide(shape, wish);
            if (last < 0) {
                refused = i;
                return last;
            }
            if (shape.policy == TopologyPolicyName.NONE) {
                wide = last == CountsEvaluator.ANYWHERE && wish.memoryTypes > 0;
            } else {
                narrow &= last != CountsEvaluator.ANYWHERE || !Sufficiency.isAskedHere(shape, wish);
                wide = Long.bitCount(last) > 1 || shape.sockets.length > 0;
            }
            memory = wish.memoryTypes > 0 ? memory.with(last) : memory;
            Arrays.fill(own, 0, length, 0);
            long mask = shape.policy == TopologyPolicyName.NONE ? CountsEvaluator.ANYWHERE : last;
            ZoneFill.fill(shape, wish, free, mask, last, own);
            for (int at = 0; at < length; at++) {
                long reused = Math.min(own[at], reusable[at]);
                reusable[at] += wish.plainInit ? own[at] - reused : -reused;
                free[at] -= wish.plainInit ? 0 : own[at];
            }
        }
        return last;
    }

    /**
     * In the last run, it is known what containers before the last take of each zone, as far as it matters for those after them; and under
     * a policy that aligns, none is anywhere that asks for what has a place.
     */
    boolean isNarrow() {
        return narrow;
    }

    /** What the container asked for at which the last run ended. */
    Wish refused() {
        return asked.containers[refused];
    }

    /** What was free then, as the managers tell it: CPUs that can be used again count, devices and memory do not. */
    long[] free(NodeShape shape) {
        long[] told = free.clone();
        int cpus = shape.row(refused().cpu());
        for (int at = 0; at < told.length; at++) {
            told[at] -= at / shape.zones == cpus ? 0 : reusable[at];
        }
        return told;
    }

    private long decide(NodeShape shape, Wish wish) {
        if (shape.policy == TopologyPolicyName.NONE) {
            return evaluator.placeMemory(shape, wish, free, memory);
        }
        return evaluator.align(shape, wish, free, CountsEvaluator.NOT_WORKED_OUT, required(shape, wish), memory);
    }

    private long required(NodeShape shape, Wish wish) {
        long zones = 0;
        for (int i = wish.memoryTypes; i < wish.resources.length; i++) {
            int row = shape.row(wish.resources[i]);
            for (int zone = 0; row >= 0 && zone < shape.zones; zone++) {
                if (reusable[row * shape.zones + zone] > 0) {
                    zones |= 1L << zone;
                }
            }
        }
        return zones;
    }
}
