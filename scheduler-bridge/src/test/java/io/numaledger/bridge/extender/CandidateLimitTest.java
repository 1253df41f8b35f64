package io.numaledger.bridge.extender;

import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class CandidateLimitTest {

    private static Evaluation evaluation(String rank) {
        return rank.equals("-")
                ? Refused.of(RefusalReason.RESERVED_FOR_OLDER_POD, "reserved", false)
                : new Fits(Long.parseLong(rank), Optional.empty());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            no limit                             | 0 | 0 | 5 - 7 0   | {0, 2, 3}
            fewer than the limit                 | 3 | 0 | 5 - 7 0   | {0, 2, 3}
            the highest ranks                    | 2 | 0 | 5 - 7 0 9 | {2, 4}
            equal ranks, from the start          | 2 | 0 | 5 5 - 5 5 | {0, 1}
            equal ranks, from a later place      | 2 | 2 | 5 5 - 5 5 | {3, 4}
            equal ranks, past the end            | 2 | 4 | 5 5 - 5 5 | {0, 4}
            a higher rank before the start       | 2 | 3 | 5 6 - 5 5 | {1, 3}
            none fits                            | 2 | 0 | - -       | {}
            """)
    void keepsTheBestPlaces(String situation, int limit, int start, String ranks, String expected) {
        List<Evaluation> evaluations = Arrays.stream(ranks.split(" "))
                .map(CandidateLimitTest::evaluation)
                .toList();

        BitSet best = new CandidateLimit(limit).best(evaluations, start);

        assertThat(best).hasToString(expected);
        assertThat(IntStream.of(CandidateLimit.bestFirst(evaluations, start)).limit(best.cardinality()))
                .containsExactlyInAnyOrder(best.stream().boxed().toArray(Integer[]::new));
    }

    static LongStream seeds() {
        return LongStream.range(0, 200);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void keepsTheFirstOfTheBestPlaces(long seed) {
        Random random = new Random(seed);
        int ranks = 1 + random.nextInt(60);
        List<Evaluation> evaluations = IntStream.range(0, random.nextInt(300))
                .mapToObj(i -> random.nextInt(5) == 0
                        ? "-"
                        : Long.toString(random.nextInt(40) == 0 ? Long.MIN_VALUE : random.nextInt(ranks)))
                .map(CandidateLimitTest::evaluation)
                .toList();
        int limit = 1 + random.nextInt(50);
        int start = random.nextInt();

        assertThat(new CandidateLimit(limit).best(evaluations, start).stream())
                .containsExactlyInAnyOrderElementsOf(IntStream.of(CandidateLimit.bestFirst(evaluations, start))
                        .limit(limit)
                        .boxed()
                        .toList());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', textBlock = """
            the highest rank first          | 0 | 5 - 7 0 9                        | 4 2 0 3
            equal ranks, from a later place | 3 | 5 7 5 5 7                        | 4 1 3 0 2
            the farthest ranks              | 0 | -9223372036854775808 1 9223372036854775807 | 2 1 0
            """)
    void ordersTheBestPlaces(String situation, int start, String ranks, String expected) {
        List<Evaluation> evaluations = Arrays.stream(ranks.split(" "))
                .map(CandidateLimitTest::evaluation)
                .toList();

        assertThat(IntStream.of(CandidateLimit.bestFirst(evaluations, start))
                        .mapToObj(Integer::toString)
                        .collect(Collectors.joining(" ")))
                .isEqualTo(expected);
    }

    @Test
    void isNotNegative() {
        assertThatThrownBy(() -> new CandidateLimit(-1))
                .hasMessage("the limit of candidates is -1; use 0 (all) or more");
    }
}
