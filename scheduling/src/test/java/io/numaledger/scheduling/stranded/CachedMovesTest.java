package io.numaledger.scheduling.stranded;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class CachedMovesTest {

    private final AtomicInteger searches = new AtomicInteger();
    private StrandedReport counts = StrandedReport.NONE;
    private Duration now = Duration.ZERO;
    private final CachedMoves moves = new CachedMoves(
            reference -> {
                searches.incrementAndGet();
                return List.of();
            },
            () -> counts,
            () -> now.toNanos());

    private int searchesAfter(Duration later) {
        now = now.plus(later);
        int before = searches.get();
        assertThat(moves.find("a")).isEmpty();
        return searches.get() - before;
    }

    private void count() {
        counts = new StrandedReport(List.of(), 0, 0, 0, true);
    }

    @Test
    void manyCallersCostOneSearchOfEachReferencePod() {
        IntStream.range(0, 100).parallel().forEach(any -> moves.find("a"));
        assertThat(searches).hasValue(1);

        moves.find("b");

        assertThat(searches).hasValue(2);
    }

    @Test
    void searchesAgainAfterNodesWereCountedAndSomeSecondsHavePassed() {
        assertThat(searchesAfter(Duration.ZERO)).isEqualTo(1);
        count();
        assertThat(searchesAfter(Duration.ofSeconds(4))).isZero();
        assertThat(searchesAfter(Duration.ofSeconds(1))).isEqualTo(1);
        assertThat(searchesAfter(Duration.ofSeconds(59))).isZero();
    }

    @Test
    void searchesAgainAfterAMinuteSinceBudgetsMayHaveChanged() {
        assertThat(searchesAfter(Duration.ZERO)).isEqualTo(1);
        assertThat(searchesAfter(Duration.ofSeconds(60))).isEqualTo(1);
    }
}
