package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.stream.IntStream;

/** The NUMA nodes of a mask together have at least this amount. */
public final class AmountCondition implements MaskCondition {

    private final AmountsByNumaNode amounts;
    private final long need;
    /** NUMA node ids, the largest amount first. */
    private final int[] largestFirst;

    /**
     * Reads the amounts of one resource.
     *
     * @param amounts 0 or more
     */
    public AmountCondition(AffinityMask numaNodes, AmountsByNumaNode amounts, long need) {
        this.amounts = amounts;
        this.need = need;
        this.largestFirst = numaNodes
                .ids()
                .boxed()
                .sorted((a, b) -> Long.compare(amounts.of(b), amounts.of(a)))
                .mapToInt(Integer::intValue)
                .toArray();
    }

    @Override
    public boolean holds(AffinityMask mask) {
        return amounts.over(mask) >= need;
    }

    @Override
    public boolean canHold(AffinityMask chosen, AffinityMask open, int count) {
        long sum = amounts.over(chosen);
        int left = count;
        for (int i = 0; i < largestFirst.length && left > 0 && sum < need; i++) {
            if (open.contains(largestFirst[i])) {
                sum += amounts.of(largestFirst[i]);
                left--;
            }
        }
        return sum >= need;
    }

    @Override
    public boolean ignores(int numaNode) {
        return amounts.of(numaNode) == 0;
    }

    @Override
    public boolean treatsAlike(int numaNode, int other) {
        return amounts.of(numaNode) == amounts.of(other);
    }

    @Override
    public int mostWithout(AffinityMask mask, AffinityMask open) {
        long spare = amounts.over(mask) - need;
        int count = 0;
        for (int i = largestFirst.length - 1; i >= 0; i--) {
            if (open.contains(largestFirst[i])) {
                spare -= amounts.of(largestFirst[i]);
                if (spare < 0) {
                    return count;
                }
                count++;
            }
        }
        return count;
    }

    /** The NUMA nodes that have the most together, so many of them; between equals the smaller number. */
    public static AffinityMask roomiest(AffinityMask numaNodes, AmountsByNumaNode amounts, int width) {
        IntStream ids = IntStream.of(new AmountCondition(numaNodes, amounts, 0).largestFirst);
        return AffinityMask.of(ids.limit(width).toArray());
    }
}
