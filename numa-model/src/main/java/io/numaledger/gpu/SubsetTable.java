package io.numaledger.gpu;

/**
 * The score of every subset of up to 16 GPUs, by bit mask, and the best subset read from it.
 *
 * <p>Every pair of a set except one is in the set without its lowest GPU or in the set without its second lowest, and the
 * pairs in neither of both are counted twice; so each entry follows from three earlier ones in constant time. 16 GPUs
 * take 65536 entries of 8 bytes.
 */
final class SubsetTable {

    private final long[] scores;
    private final int[] members;

    /** @param members the GPUs in question, ascending, 16 at most; bit i of a mask is {@code members[i]} */
    SubsetTable(SetScore score, int[] members) {
        this.members = members.clone();
        this.scores = new long[1 << members.length];
        GpuSet[] nodes = new GpuSet[scores.length];
        scores[0] = SetScore.pack(0, SetScore.NO_PAIR, 0, 0);
        nodes[0] = GpuSet.NONE;
        for (int mask = 1; mask < scores.length; mask++) {
            int rest = mask & (mask - 1);
            int lowest = Integer.numberOfTrailingZeros(mask);
            nodes[mask] = nodes[rest].or(score.node(members[lowest]));
            scores[mask] = rest == 0 ? single() : joined(score, mask, nodes[mask].size());
        }
    }

    private static long single() {
        return SetScore.pack(0, SetScore.NO_PAIR, 0, 1);
    }

    private long joined(SetScore score, int mask, int nodes) {
        int first = Integer.numberOfTrailingZeros(mask);
        int rest = mask & (mask - 1);
        int second = Integer.numberOfTrailingZeros(rest);
        long withoutFirst = scores[rest];
        long withoutSecond = scores[mask ^ 1 << second];
        long withoutBoth = scores[rest & (rest - 1)];
        int pair = score.links(members[first], members[second]);
        return SetScore.pack(
                SetScore.links(withoutFirst) + SetScore.links(withoutSecond) - SetScore.links(withoutBoth) + pair,
                Math.min(pair, Math.min(SetScore.weakest(withoutFirst), SetScore.weakest(withoutSecond))),
                SetScore.levels(withoutFirst)
                        + SetScore.levels(withoutSecond)
                        - SetScore.levels(withoutBoth)
                        + score.level(members[first], members[second]),
                nodes);
    }

    /**
     * The best set of this size; there must be one.
     *
     * @param required part of every set looked at, not counted in {@code free}
     */
    LinkedSet best(int size, GpuSet free, GpuSet required) {
        int open = mask(free);
        int fixed = mask(required);
        Walk walk = new Walk(open | fixed);
        walk.extend(fixed, open, size - Integer.bitCount(fixed));
        return new LinkedSet(set(walk.best), SetScore.links(scores[walk.best]), true);
    }

    private int mask(GpuSet set) {
        int mask = 0;
        for (int bit = 0; bit < members.length; bit++) {
            mask |= set.contains(members[bit]) ? 1 << bit : 0;
        }
        return mask;
    }

    private GpuSet set(int mask) {
        GpuSet set = GpuSet.NONE;
        for (int rest = mask; rest != 0; rest &= rest - 1) {
            set = set.with(members[Integer.numberOfTrailingZeros(rest)]);
        }
        return set;
    }

    /** Visits every set once. Between equal scores the one that leaves more links to the others wins, then the lower mask. */
    private final class Walk {

        private final int usable;
        private int best;
        private long bestScore = -1;

        Walk(int usable) {
            this.usable = usable;
        }

        void extend(int chosen, int open, int missing) {
            if (missing == 0) {
                consider(chosen);
                return;
            }
            for (int rest = open; Integer.bitCount(rest) >= missing; rest &= rest - 1) {
                extend(chosen | Integer.lowestOneBit(rest), rest & (rest - 1), missing - 1);
            }
        }

        private void consider(int mask) {
            long score = scores[mask];
            if (score > bestScore || (score == bestScore && winsTie(mask))) {
                best = mask;
                bestScore = score;
            }
        }

        private boolean winsTie(int mask) {
            long left = SetScore.links(scores[usable ^ mask]);
            long leftByBest = SetScore.links(scores[usable ^ best]);
            return left == leftByBest ? mask < best : left > leftByBest;
        }
    }
}
