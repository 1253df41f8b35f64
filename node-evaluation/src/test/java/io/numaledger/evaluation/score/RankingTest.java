package io.numaledger.evaluation.score;

import org.junit.jupiter.api.Test;

import java.util.BitSet;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class RankingTest {

    private static BitSet all(int nodes) {
        BitSet all = new BitSet();
        all.set(0, nodes);
        return all;
    }

    @Test
    void mapsDistinctRanksEvenlyToScores() {
        assertThat(Ranking.scores(new long[] {70, 5, 70, 12}, all(4))).containsExactly(10, 0, 10, 5);
    }

    @Test
    void equalNodesAllGetTheBestScore() {
        assertThat(Ranking.scores(new long[] {3, 3}, all(2))).containsExactly(10, 10);
    }

    @Test
    void nodesThatAreNotRankedGetNothingAndChangeNothing() {
        BitSet ranked = all(2);

        assertThat(Ranking.scores(new long[] {1, 2, 99}, ranked)).containsExactly(0, 10, 0);
    }

    @Test
    void keepsTheOrderOfManyRanks() {
        int[] scores = Ranking.scores(IntStream.range(0, 500).asLongStream().toArray(), all(500));

        assertThat(IntStream.range(1, 500)).allMatch(node -> scores[node] >= scores[node - 1]);
        assertThat(scores[0]).isZero();
        assertThat(scores[499]).isEqualTo(Ranking.MAX_SCORE);
    }
}
