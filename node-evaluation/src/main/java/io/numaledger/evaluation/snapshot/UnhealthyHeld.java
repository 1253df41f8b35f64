package io.numaledger.evaluation.snapshot;

import io.numaledger.topology.AffinityMask;

import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.function.ToIntFunction;

/**
 * The unhealthy devices of one resource that pods hold. A device plugin may list them or not: a listed one counts for how many NUMA nodes
 * a request needs (generateDeviceTopologyHints). The kubelet publishes only how many devices its plugins list.
 */
final class UnhealthyHeld {

    private final SortedMap<Long, int[]> masks;
    private final int count;

    /** @param masks NUMA nodes → how many devices are healthy, and how many there are */
    UnhealthyHeld(SortedMap<Long, int[]> masks) {
        this.masks = masks;
        this.count = masks.values().stream().mapToInt(UnhealthyHeld::unhealthy).sum();
    }

    private static int unhealthy(int[] counts) {
        return counts[1] - counts[0];
    }

    int count() {
        return count;
    }

    /**
     * Takes the NUMA nodes from those that are not listed.
     *
     * @param listed how many devices of the resource the Node counts
     * @return whether the rest is certain: which are not listed, or that it makes no difference
     */
    boolean forgetUnlisted(int listed) {
        int all = masks.values().stream().mapToInt(counts -> counts[1]).sum();
        int gone = Math.max(0, Math.min(count, all - listed));
        boolean certain = gone == count || !widthsDiffer();
        int left = gone;
        for (var mask : masks.entrySet()) {
            int here = mask.getKey() == AffinityMask.NONE.bits() ? 0 : Math.min(left, unhealthy(mask.getValue()));
            mask.getValue()[1] -= here;
            left -= here;
        }
        if (gone > left) {
            masks.computeIfAbsent(AffinityMask.NONE.bits(), any -> new int[2])[1] += gone - left;
        }
        return certain;
    }

    /** Whether some request needs another number of NUMA nodes if unhealthy devices do not count. */
    private boolean widthsDiffer() {
        boolean several = masks.entrySet().stream()
                .anyMatch(mask -> new AffinityMask(mask.getKey()).count() > 1 && unhealthy(mask.getValue()) > 0);
        List<Integer> with = largestFirst(counts -> counts[1]);
        List<Integer> without = largestFirst(counts -> counts[0]);
        int healthy = without.stream().mapToInt(Integer::intValue).sum();
        int most = 0;
        int mostWithout = 0;
        boolean differ = several;
        for (int i = 0; i < with.size() && mostWithout < healthy; i++) {
            most += with.get(i);
            mostWithout += without.get(i);
            differ |= Math.min(most, healthy) != mostWithout;
        }
        return differ;
    }

    private List<Integer> largestFirst(ToIntFunction<int[]> number) {
        return masks.entrySet().stream()
                .filter(mask -> mask.getKey() != AffinityMask.NONE.bits())
                .map(mask -> number.applyAsInt(mask.getValue()))
                .sorted(Comparator.reverseOrder())
                .toList();
    }
}
