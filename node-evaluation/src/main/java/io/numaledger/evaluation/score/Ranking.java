package io.numaledger.evaluation.score;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/** Ranks nodes by several criteria, the first one first, and maps the ranks to the extender's scores. */
public final class Ranking {

    /** The rank of a node whose zones are unknown. */
    public static final long LOWEST = Long.MIN_VALUE;

    /** More than any two ranks of {@link #rank} differ. */
    private static final long BEHIND = Long.MAX_VALUE / 2;

    /** Four criteria need 27. */
    private static final int RANK_BITS = 32;

    /** Link scores and what is below need 56. */
    private static final int ALIGNMENT_SHIFT = 56;

    /** Larger than any link score; ranks differ by less than {@link #BEHIND} then. */
    public static final int MAX_LINK_SCORE = (1 << 24) - 1;

    /** The best score; the worst is 0. */
    public static final int MAX_SCORE = 10;

    private final List<ScoringCriterion> criteria;
    private final NodeScore score;

    public Ranking(List<ScoringCriterion> criteria, Strategy strategy) {
        this.criteria = List.copyOf(criteria);
        this.score = new NodeScore(strategy);
    }

    /** The rank as one number for all criteria: larger is better, 1 or more. */
    public long rank(PlacementChange change) {
        long rank = 0;
        for (ScoringCriterion criterion : criteria) {
            rank = rank * (NodeScore.MAX + 1) + score.of(criterion, change);
        }
        return rank + 1;
    }

    /**
     * The rank of a node that is compared by its links first.
     *
     * @param linkScore 0 to {@link #MAX_LINK_SCORE}
     * @param rank of {@link #rank}
     */
    public static long firstBy(int linkScore, long rank) {
        return ((long) linkScore << RANK_BITS) + Math.min(rank, (1L << RANK_BITS) - 1);
    }

    /**
     * The rank of a node that is compared by the alignment of claimed devices first.
     *
     * @param score 0 to 3
     * @param rank any of the others
     */
    public static long firstByAlignment(int score, long rank) {
        return rank + ((long) score << ALIGNMENT_SHIFT);
    }

    /** The rank of a node that is to be chosen only after all others, in the same order among such nodes. */
    public static long behindOthers(long rank) {
        return Math.max(LOWEST + BEHIND, rank) - BEHIND;
    }

    /**
     * Maps ranks to scores, rank by rank: the best nodes get {@link #MAX_SCORE}, nodes with equal ranks get equal scores.
     *
     * @param ranked the nodes that get a score; all others get 0
     */
    public static int[] scores(long[] ranks, BitSet ranked) {
        long[] distinct = ranked.stream()
                .mapToLong(node -> ranks[node])
                .sorted()
                .distinct()
                .toArray();
        int last = distinct.length - 1;
        int[] scores = new int[ranks.length];
        for (int node = ranked.nextSetBit(0); node >= 0; node = ranked.nextSetBit(node + 1)) {
            int place = Arrays.binarySearch(distinct, ranks[node]);
            scores[node] = last == 0 ? MAX_SCORE : place * MAX_SCORE / last;
        }
        return scores;
    }
}
