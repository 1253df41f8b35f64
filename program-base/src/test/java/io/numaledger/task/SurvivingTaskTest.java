package io.numaledger.task;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import static org.assertj.core.api.Assertions.assertThat;

class SurvivingTaskTest {

    private final List<String> failures = new ArrayList<>();

    @Test
    void aPeriodicTaskGoesOnAfterErrors() throws InterruptedException {
        CountDownLatch runs = new CountDownLatch(3);
        ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor();
        try {
            var unused = thread.scheduleWithFixedDelay(
                    new SurvivingTask(
                            "deep",
                            () -> {
                                runs.countDown();
                                descend(0);
                            },
                            failures::add),
                    0,
                    1,
                    TimeUnit.MILLISECONDS);

            assertThat(runs.await(3, TimeUnit.MINUTES)).isTrue();
        } finally {
            thread.shutdownNow();
        }
        assertThat(failures).contains("deep");
    }

    private static int descend(int depth) {
        return depth < 0 ? 0 : descend(depth + 1) + 1;
    }

    @Test
    void everyFailureIsCountedAndNothingElse() {
        new SurvivingTask("ok", () -> {}, failures::add).run();
        new SurvivingTask(
                        "bug",
                        () -> {
                            throw new IllegalStateException("x");
                        },
                        failures::add)
                .run();
        new SurvivingTask(
                        "assertion",
                        () -> {
                            throw new AssertionError("y");
                        },
                        failures::add)
                .run();

        assertThat(failures).containsExactly("bug", "assertion");
    }
}
