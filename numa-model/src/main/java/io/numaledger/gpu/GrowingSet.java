package io.numaledger.gpu;

import java.util.Arrays;

/**
 * A set that grows GPU by GPU and stores the gain of each usable GPU, so that the next step reads one value for
 * each.
 */
final class GrowingSet {

    private final SetScore score;
    private final int[] usable;
    /** Per GPU: its links to the set, to all usable GPUs, the weakest of its pairs in the set, the sum of their levels. */
    private final int[] toMembers;

    private final int[] toAll;
    private final int[] weakest;
    private final int[] levels;
    private GpuSet members = GpuSet.NONE;
    private GpuSet nodes = GpuSet.NONE;

    GrowingSet(SetScore score, int[] usable) {
        this.score = score;
        this.usable = usable;
        int length = usable[usable.length - 1] + 1;
        toMembers = new int[length];
        toAll = new int[length];
        weakest = new int[length];
        levels = new int[length];
        Arrays.fill(weakest, SetScore.NO_PAIR);
        for (int gpu : usable) {
            for (int other : usable) {
                toAll[gpu] += score.links(gpu, other);
            }
        }
    }

    GpuSet members() {
        return members;
    }

    void add(int gpu) {
        members = members.with(gpu);
        nodes = nodes.or(score.node(gpu));
        for (int each : usable) {
            int pair = score.links(each, gpu);
            toMembers[each] += pair;
            if (each != gpu) {
                weakest[each] = Math.min(weakest[each], pair);
                levels[each] += score.level(each, gpu);
            }
        }
    }

    /** Which usable GPU brings most: links; then links to those that may follow; then the rest of its score. */
    int bestNext() {
        int best = -1;
        for (int each : usable) {
            if (!members.contains(each) && (best < 0 || isBetter(each, best))) {
                best = each;
            }
        }
        return best;
    }

    private boolean isBetter(int each, int best) {
        if (toMembers[each] != toMembers[best]) {
            return toMembers[each] > toMembers[best];
        }
        if (toAll[each] != toAll[best]) {
            return toAll[each] > toAll[best];
        }
        return gain(each) > gain(best);
    }

    private long gain(int each) {
        int newNodes = nodes.containsAll(score.node(each)) ? 0 : 1;
        return SetScore.pack(toMembers[each], weakest[each], levels[each], newNodes);
    }

    /**
     * Exchanges the one member for the usable GPU that adds the most links.
     *
     * @param fixed members that stay
     * @return false when no exchange adds any
     */
    boolean exchange(GpuSet fixed) {
        int mostGained = 0;
        int in = -1;
        int out = -1;
        for (int leaving = members.next(0); leaving >= 0; leaving = members.next(leaving + 1)) {
            if (!fixed.contains(leaving)) {
                for (int each : usable) {
                    int gained = toMembers[each] - score.links(each, leaving) - toMembers[leaving];
                    if (gained > mostGained && !members.contains(each)) {
                        mostGained = gained;
                        in = each;
                        out = leaving;
                    }
                }
            }
        }
        if (in >= 0) {
            replace(out, in);
        }
        return in >= 0;
    }

    /** Only the links to members are kept up to date: nothing grows any more. */
    private void replace(int out, int in) {
        members = members.minus(GpuSet.of(out)).with(in);
        for (int each : usable) {
            toMembers[each] += score.links(each, in) - score.links(each, out);
        }
    }
}
