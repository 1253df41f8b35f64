package io.numaledger.scheduling.batch;

import org.junit.jupiter.api.Test;

import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

class WorkSplitterTest {

    private final Collection<Integer> done = new ConcurrentLinkedQueue<>();

    @Test
    void runsEachPartOnce() {
        WorkSplitter.run(1_000, done::add);
        assertThat(done)
                .hasSize(1_000)
                .containsAll(IntStream.range(0, 1_000).boxed().toList());
        WorkSplitter.run(0, done::add);
        assertThat(done).hasSize(1_000);
    }

    /** The other parts still run. */
    @Test
    void failsLikeThePartThatFailed() {
        assertThatThrownBy(() -> WorkSplitter.run(10, part -> {
                    if (part == 3) {
                        throw new IllegalArgumentException("part 3");
                    }
                    done.add(part);
                }))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("part 3");
        assertThat(done).hasSize(9);
    }

    /** A part without a result must not be taken for one that was done, whichever thread ran it. */
    @Test
    void errorsOfHelpersAreThrown() {
        for (int failing = 0; failing < 20; failing++) {
            int part = failing;
            assertThatThrownBy(() -> WorkSplitter.run(20, each -> {
                        if (each == part) {
                            throw new StackOverflowError();
                        }
                    }))
                    .isInstanceOf(StackOverflowError.class);
        }
    }

    @Test
    void waitsForPartsThatAHelperHasBegun() {
        assumeTrue(Runtime.getRuntime().availableProcessors() > 1, "one processor: nobody helps");
        Thread caller = Thread.currentThread();
        CompletableFuture<Void> helped = new CompletableFuture<>();
        CompletableFuture<Void> callerIsDone = new CompletableFuture<>();
        WorkSplitter.run(2, part -> {
            if (Thread.currentThread() == caller) {
                helped.join();
                callerIsDone.complete(null);
            } else {
                helped.complete(null);
                callerIsDone.join();
                while (caller.getState() != Thread.State.WAITING) {
                    Thread.onSpinWait();
                }
            }
            done.add(part);
        });
        assertThat(done).hasSize(2);
    }

    /** The common pool may be busy with something that waits for the caller. */
    @Test
    void needsNoHelpers() {
        WorkSplitter.run(8, outer -> WorkSplitter.run(8, inner -> done.add(8 * outer + inner)));
        assertThat(done).hasSize(64);
    }
}
