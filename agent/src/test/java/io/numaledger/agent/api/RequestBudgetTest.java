package io.numaledger.agent.api;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class RequestBudgetTest {

    private final AtomicLong now = new AtomicLong();

    @Test
    void letsABurstThroughAndThenOneRequestATime() {
        RequestBudget budget = new RequestBudget(10, 3, now::get);
        assertThat(budget.reserve()).isZero();
        assertThat(budget.reserve()).isZero();
        assertThat(budget.reserve()).isZero();
        assertThat(budget.reserve()).isEqualTo(Duration.ofMillis(100));
        assertThat(budget.reserve()).isEqualTo(Duration.ofMillis(200));
        now.addAndGet(Duration.ofMillis(300).toNanos());
        assertThat(budget.reserve()).isZero();
    }

    @Test
    void neverSavesUpMoreThanTheBurst() {
        RequestBudget budget = new RequestBudget(10, 2, now::get);
        now.addAndGet(Duration.ofHours(1).toNanos());
        assertThat(budget.reserve()).isZero();
        assertThat(budget.reserve()).isZero();
        assertThat(budget.reserve()).isEqualTo(Duration.ofMillis(100));
    }

    @Test
    void refusesABudgetThatLetsNothingThrough() {
        assertThatThrownBy(() -> new RequestBudget(0, 1, now::get))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a request budget needs qps above 0 and burst of 1 or more: qps=0.0 burst=1");
    }
}
