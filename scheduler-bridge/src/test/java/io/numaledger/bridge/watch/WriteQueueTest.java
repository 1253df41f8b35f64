package io.numaledger.bridge.watch;

import io.numaledger.apiservers.wait.Wait;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class WriteQueueTest {

    private static final int MOST = 2;

    private final AtomicInteger dropped = new AtomicInteger();
    private final List<String> failures = new CopyOnWriteArrayList<>();
    private final List<String> written = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch answered = new CountDownLatch(1);
    private final WriteQueue queue = new WriteQueue("events", MOST, dropped::incrementAndGet, failures::add);

    @AfterEach
    void close() {
        answered.countDown();
        queue.close();
    }

    /** The thread waits for the API server, and no other write has room. */
    private void fill() throws InterruptedException {
        queue.execute(() -> {
            begun.countDown();
            await(answered);
        });
        begun.await();
        for (int i = 0; i < MOST; i++) {
            String name = "write " + i;
            queue.execute(() -> written.add(name));
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void refuse() {
        assertThatThrownBy(() -> queue.execute(() -> written.add("one more")))
                .isInstanceOf(RejectedExecutionException.class)
                .hasMessage("too many writes wait for the API server: kind=events limit=2");
    }

    @Test
    void dropsWhatComesWhileTooManyWait() throws InterruptedException {
        fill();

        refuse();

        assertThat(dropped).hasValue(1);
        assertThat(queue.waiting()).isEqualTo(MOST);
        answered.countDown();
        Wait.until("the others are written").holds(() -> written.size() == MOST);
        assertThat(written).containsExactly("write 0", "write 1");
        queue.execute(() -> written.add("later"));
        Wait.until("there is room again").holds(() -> written.contains("later"));
    }

    @Test
    void saysWhenItBeginsToDropAndWhenItHasCaughtUp() throws InterruptedException {
        PrintStream before = System.err;
        ByteArrayOutputStream log = new ByteArrayOutputStream();
        System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
        try {
            fill();
            refuse();
            refuse();
            refuse();
            answered.countDown();
            Wait.until("it has caught up")
                    .holds(() -> log.toString(StandardCharsets.UTF_8).contains("event=writes.caught_up"));
        } finally {
            System.setErr(before);
        }

        assertThat(log.toString(StandardCharsets.UTF_8).lines().map(line -> line.replaceFirst(".*level=", "")))
                .containsExactly(
                        "WARN event=writes.dropped kind=events waiting=2",
                        "INFO event=writes.caught_up kind=events dropped=3");
    }

    @Test
    void goesOnAfterAWriteThatFails() {
        queue.execute(() -> {
            throw new IllegalStateException("no");
        });
        queue.execute(() -> written.add("next"));

        Wait.until("the next one is written").holds(() -> written.contains("next"));
        assertThat(failures).containsExactly("write-events");
    }

    @Test
    void dropsNothingBecauseItIsClosed() {
        queue.close();

        assertThatThrownBy(() -> queue.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        assertThat(dropped).hasValue(0);
    }
}
