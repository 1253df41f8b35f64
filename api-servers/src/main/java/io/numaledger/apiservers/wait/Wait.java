package io.numaledger.apiservers.wait;

import org.jspecify.annotations.Nullable;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.function.Supplier;

import static java.util.Objects.requireNonNull;

/**
 * One wait for one condition. Its limit is time on an idle machine: while more tasks are runnable than there are CPUs, its
 * clock runs slower by that ratio. The limit starts again whenever what is {@link #seeing seen} changes, because then there is
 * progress. In all, a wait takes at most ten times its limit.
 */
public final class Wait {

    private static final Duration DEFAULT_LIMIT = Duration.ofSeconds(60);
    private static final Duration DEFAULT_POLL = Duration.ofMillis(100);
    private static final int MAX_SLOWNESS = 10;

    private final String what;
    private final Machine machine;
    private Duration limit = DEFAULT_LIMIT;
    private Duration poll = DEFAULT_POLL;
    private String latest = "";
    private Supplier<String> seen = () -> latest;
    private Optional<Path> log = Optional.empty();
    private Optional<Class<? extends Exception>> ignored = Optional.empty();
    private @Nullable Throwable cause;

    Wait(String what, Machine machine) {
        this.what = what;
        this.machine = machine;
    }

    /** @param what completes the sentence "waited for: …", such as {@code all nodes are Ready} */
    public static Wait until(String what) {
        return new Wait(what, Machine.THIS);
    }

    /** @param text the state at present, such as {@code 2 of 3}; default: the latest value or error of what is waited for */
    public Wait seeing(Supplier<String> text) {
        seen = text;
        return this;
    }

    /** A file or directory that tells more. */
    public Wait log(Path file) {
        log = Optional.of(file);
        return this;
    }

    /** @param onIdleMachine how long to wait without progress while nothing else runs; default: one minute */
    public Wait limit(Duration onIdleMachine) {
        limit = onIdleMachine;
        return this;
    }

    public Wait pollInterval(Duration pause) {
        poll = pause;
        return this;
    }

    /** A failure that means "not yet". Every other one ends the wait. */
    public Wait ignoring(Class<? extends Exception> failure) {
        ignored = Optional.of(failure);
        return this;
    }

    /** What is waited for. It may block for a while where an event can wake it up. */
    @FunctionalInterface
    public interface Condition {
        boolean holds() throws Exception;
    }

    /** A check that throws an AssertionError as long as it fails. */
    @FunctionalInterface
    public interface Check {
        void run() throws Exception;
    }

    /** Returns when the check passes. */
    public void passes(Check check) {
        holds(() -> {
            try {
                check.run();
                return true;
            } catch (AssertionError notYet) {
                return failed(notYet);
            }
        });
    }

    /** Returns the first wanted value. */
    public <T> T value(Callable<T> read, Predicate<? super T> wanted) {
        AtomicReference<T> found = new AtomicReference<>();
        holds(() -> {
            found.set(read.call());
            latest = String.valueOf(found.get());
            return wanted.test(found.get());
        });
        return requireNonNull(found.get());
    }

    /**
     * Returns when the condition holds.
     *
     * @throws NotInTimeException when the limit is reached
     */
    public void holds(Condition condition) {
        long start = machine.nanoTime();
        long last = start;
        double waited = 0;
        String state = "";
        try {
            while (!isMet(condition)) {
                long now = machine.nanoTime();
                waited += (now - last) / machine.slowness();
                last = now;
                String before = state;
                state = seen.get();
                if (!state.equals(before)) {
                    waited = 0;
                }
                if (waited > limit.toNanos() || now - start > limit.toNanos() * MAX_SLOWNESS) {
                    throw new NotInTimeException(message(Duration.ofNanos(now - start), state), cause);
                }
                machine.pause(poll);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: waited_for='%s'; try again".formatted(what), interrupted);
        }
    }

    private boolean isMet(Condition condition) throws InterruptedException {
        try {
            return condition.holds();
        } catch (InterruptedException interrupted) {
            throw interrupted;
        } catch (Exception failure) {
            if (ignored.filter(type -> type.isInstance(failure)).isPresent()) {
                return failed(failure);
            }
            if (failure instanceof RuntimeException unchecked) {
                throw unchecked;
            }
            throw new IllegalStateException("cannot wait: waited_for='%s' error=%s".formatted(what, failure), failure);
        }
    }

    private boolean failed(Throwable notYet) {
        cause = notYet;
        latest = String.valueOf(notYet.getMessage());
        return false;
    }

    private String message(Duration took, String state) {
        return "not ready in time: waited_for='%s' waited_s=%d last_seen='%.400s'%s; %son a slow machine (now %s) try again"
                .formatted(
                        what,
                        took.toSeconds(),
                        state.isBlank() ? "nothing" : state.strip(),
                        log.map(file -> " log=" + file).orElse(""),
                        log.isPresent() ? "read the log; " : "",
                        machine.describe());
    }
}
