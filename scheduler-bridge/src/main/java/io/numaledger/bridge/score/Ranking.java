package io.numaledger.bridge.score;

import java.util.Arrays;
import java.util.List;

/** Ranks nodes by several goals, the first one first, into the extender's eleven scores. */
public final class Ranking {

    /** The rank of a node that is not to be ranked. */
    public static final long UNRANKED = -1;

    /** The rank of a node of which nothing is known: the last. */
    public static final long UNKNOWN = 0;

    /** The best score. */
    public static final int MAX = 10;

    private final List<Goal> goals;
    private final NodeScore score;

    public Ranking(List<Goal> goals, Strategy strategy) {
        this.goals = List.copyOf(goals);
        this.score = new NodeScore(strategy);
    }

    /** One number for all goals; the larger the better, 1 at least. */
    public long rank(ZoneChange change) {
        long rank = 0;
        for (Goal goal : goals) {
            rank = rank * (NodeScore.MAX + 1) + score.of(goal, change);
        }
        return rank + 1;
    }

    /** Rank by rank 0 to 10; the best get 10, equals get equal scores, those that are not ranked get 0. */
    public static int[] scores(long[] ranks) {
        long[] different = different(ranks);
        int last = different.length - 1;
        int[] scores = new int[ranks.length];
        for (int i = 0; i < ranks.length; i++) {
            int place = Arrays.binarySearch(different, ranks[i]);
            scores[i] = place < 0 ? 0 : last == 0 ? MAX : place * MAX / last;
        }
        return scores;
    }

    /** Without those that are not ranked, sorted. */
    private static long[] different(long[] ranks) {
        long[] sorted =
                Arrays.stream(ranks).filter(rank -> rank != UNRANKED).sorted().toArray();
        int count = 0;
        for (long rank : sorted) {
            if (count == 0 || rank != sorted[count - 1]) {
                sorted[count++] = rank;
            }
        }
        return Arrays.copyOf(sorted, count);
    }
}
