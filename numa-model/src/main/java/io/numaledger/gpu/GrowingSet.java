package io.numaledger.gpu;

import java.util.Arrays;

/**
 * A set that grows GPU by GPU and stores the gain of each candidate, so that the next step reads one value for
 * each candidate.
 */
final class GrowingSet {

    private final SetScore score;
    private final int[] candidates;
    /** Per GPU: its links to the set, to all candidates, the weakest of its pairs in the set, the sum of their levels. */
    private final int[] toMembers;

    private final int[] toAll;
    private final int[] weakest;
    private final int[] levels;
    private GpuSet members = GpuSet.NONE;
    private GpuSet nodes = GpuSet.NONE;

    GrowingSet(SetScore score, int[] candidates) {
        this.score = score;
        this.candidates = candidates;
        int length = candidates[candidates.length - 1] + 1;
        toMembers = new int[length];
        toAll = new int[length];
        weakest = new int[length];
        levels = new int[length];
        Arrays.fill(weakest, SetScore.NO_PAIR);
        for (int gpu : candidates) {
            for (int other : candidates) {
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
        for (int candidate : candidates) {
            int pair = score.links(candidate, gpu);
            toMembers[candidate] += pair;
            if (candidate != gpu) {
                weakest[candidate] = Math.min(weakest[candidate], pair);
                levels[candidate] += score.level(candidate, gpu);
            }
        }
    }

    /** Which candidate brings most: links; then links to those that may follow; then the rest of its score. */
    int bestNext() {
        int best = -1;
        for (int candidate : candidates) {
            if (!members.contains(candidate) && (best < 0 || isBetter(candidate, best))) {
                best = candidate;
            }
        }
        return best;
    }

    private boolean isBetter(int candidate, int best) {
        if (toMembers[candidate] != toMembers[best]) {
            return toMembers[candidate] > toMembers[best];
        }
        if (toAll[candidate] != toAll[best]) {
            return toAll[candidate] > toAll[best];
        }
        return gain(candidate) > gain(best);
    }

    private long gain(int candidate) {
        int newNodes = nodes.containsAll(score.node(candidate)) ? 0 : 1;
        return SetScore.pack(toMembers[candidate], weakest[candidate], levels[candidate], newNodes);
    }

    /**
     * Exchanges the one member for the one candidate that adds the most links.
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
                for (int candidate : candidates) {
                    int gained = toMembers[candidate] - score.links(candidate, leaving) - toMembers[leaving];
                    if (gained > mostGained && !members.contains(candidate)) {
                        mostGained = gained;
                        in = candidate;
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
        for (int candidate : candidates) {
            toMembers[candidate] += score.links(candidate, in) - score.links(candidate, out);
        }
    }
}
