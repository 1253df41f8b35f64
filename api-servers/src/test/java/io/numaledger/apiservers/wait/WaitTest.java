package io.numaledger.apiservers.wait;

import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WaitTest {

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Two CPUs, a load, and a clock that only pauses move. */
    private static final class ScriptedMachine implements Machine {

        private final double load;
        private long nanos;

        ScriptedMachine(double load) {
            this.load = load;
        }

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public double load() {
            return load;
        }

        @Override
        public int cpus() {
            return 2;
        }

        @Override
        public void pause(Duration time) {
            nanos += time.toNanos();
        }
    }

    private static Duration timeUntilGivenUp(double load, Wait.Condition condition) {
        ScriptedMachine machine = new ScriptedMachine(load);
        assertThatThrownBy(() -> new Wait("the end", machine).limit(MINUTE).holds(condition))
                .isInstanceOf(NotInTimeException.class);
        return Duration.ofNanos(machine.nanoTime()).truncatedTo(ChronoUnit.SECONDS);
    }

    @Test
    void waitsForTheLimitOnAnIdleMachine() {
        assertThat(timeUntilGivenUp(0.3, () -> false)).isEqualTo(MINUTE);
    }

    @Test
    void waitsLongerTheMoreTasksShareACpu() {
        assertThat(timeUntilGivenUp(8, () -> false)).isEqualTo(MINUTE.multipliedBy(4));
    }

    @Test
    void waitsForTenTimesTheLimitAtMost() {
        assertThat(timeUntilGivenUp(400, () -> false)).isEqualTo(MINUTE.multipliedBy(10));
    }

    @Test
    void goesOnWhileThereIsProgressButNotForEver() {
        ScriptedMachine machine = new ScriptedMachine(0);
        AtomicInteger ready = new AtomicInteger();
        assertThatCode(() -> new Wait("five are ready", machine)
                        .limit(MINUTE)
                        .pollInterval(Duration.ofSeconds(50))
                        .value(ready::incrementAndGet, count -> count == 5))
                .doesNotThrowAnyException();
        assertThat(Duration.ofNanos(machine.nanoTime())).isEqualTo(Duration.ofSeconds(200));

        assertThatThrownBy(() -> new Wait("the end", machine)
                        .limit(MINUTE)
                        .seeing(() -> "ready=" + ready.incrementAndGet())
                        .holds(() -> false))
                .hasMessageContaining("waited_s=600 last_seen='ready=");
    }

    @Test
    void saysWhatItWaitedForAndWhatItSawLast() {
        assertThatThrownBy(() -> new Wait("all nodes are Ready", new ScriptedMachine(31.2))
                        .limit(Duration.ofSeconds(2))
                        .seeing(() -> "2 of 3")
                        .log(Path.of("/tmp/sim.log"))
                        .holds(() -> false))
                .hasMessage("not ready in time: waited_for='all nodes are Ready' waited_s=20 last_seen='2 of 3' "
                        + "log=/tmp/sim.log; read the log; on a slow machine (now load=31.2 cpus=2) try again");
    }

    @Test
    void showsTheLastErrorOfACheck() {
        assertThatThrownBy(() -> new Wait("the pod runs", new ScriptedMachine(0))
                        .passes(() -> assertThat("Pending").isEqualTo("Running")))
                .hasMessageContaining("Pending")
                .hasCauseInstanceOf(AssertionError.class);
    }

    @Test
    void ignoresTheFailuresThatItIsToldToIgnoreAndNoOthers() {
        Deque<RuntimeException> failures =
                new ArrayDeque<>(List.of(new IllegalStateException("not yet"), new IllegalArgumentException("never")));
        assertThatThrownBy(() -> new Wait("no failure", new ScriptedMachine(0))
                        .ignoring(IllegalStateException.class)
                        .holds(() -> {
                            throw failures.pop();
                        }))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(failures).isEmpty();
    }
}
