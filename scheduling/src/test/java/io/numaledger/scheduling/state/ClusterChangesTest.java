package io.numaledger.scheduling.state;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;

class ClusterChangesTest {

    private final ClusterChanges changes = new ClusterChanges();
    private final AtomicInteger state = new AtomicInteger();
    private final AtomicInteger tested = new AtomicInteger();

    private boolean await(int wanted, Duration timeout) {
        try {
            return changes.await(
                    () -> {
                        tested.incrementAndGet();
                        return state.get() == wanted;
                    },
                    timeout);
        } catch (InterruptedException e) {
            throw new IllegalStateException("interrupted", e);
        }
    }

    @Test
    void doesNotWaitForWhatHolds() {
        assertThat(await(0, Duration.ZERO)).isTrue();
    }

    @Test
    void endsAfterItsTimeWithoutAChange() {
        assertThat(await(1, Duration.ofMillis(1))).isFalse();
        assertThat(tested).hasValue(1);
    }

    @Test
    void looksAgainAfterEachChange() throws Exception {
        CompletableFuture<Boolean> waits = CompletableFuture.supplyAsync(() -> await(1000, Duration.ofMinutes(3)));
        while (state.get() < 1000) {
            state.incrementAndGet();
            changes.changed();
        }

        assertThat(waits.get(3, TimeUnit.MINUTES)).isTrue();
    }

    @Test
    void aChangeThatComesWhileTheConditionIsTestedIsNotMissed() throws Exception {
        boolean holds = changes.await(
                () -> {
                    if (tested.incrementAndGet() == 1) {
                        changes.changed();
                        return false;
                    }
                    return true;
                },
                Duration.ofMinutes(3));

        assertThat(holds).isTrue();
        assertThat(tested).hasValue(2);
    }
}
