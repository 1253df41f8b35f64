package io.numaledger.bridge.watch;

import io.numaledger.task.SurvivingTask;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;

/**
 * Makes writes to the API server that nobody waits for, one after the other on a thread of its own. While too many wait, further ones are
 * dropped: they must neither fill the memory nor delay whoever asks for them. Thread-safe.
 */
public final class WriteQueue implements Executor, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(WriteQueue.class);

    private final String kind;
    private final Runnable dropped;
    private final Consumer<String> failures;
    private final ThreadPoolExecutor thread;

    /** The number of writes dropped since the queue was full for the first time, until it is empty. */
    private final AtomicLong lost = new AtomicLong();

    /**
     * A queue.
     *
     * @param kind of the writes, for logs
     * @param most writes wait
     * @param dropped is run for each write that is dropped
     * @param failures is told the kind of a write that ended in an unexpected error
     */
    public WriteQueue(String kind, int most, Runnable dropped, Consumer<String> failures) {
        this.kind = kind;
        this.dropped = dropped;
        this.failures = failures;
        this.thread = new ThreadPoolExecutor(
                1,
                1,
                0,
                TimeUnit.SECONDS,
                new ArrayBlockingQueue<>(most),
                task -> {
                    Thread made = new Thread(task, "bridge-write-" + kind);
                    made.setDaemon(true);
                    return made;
                },
                (task, full) -> {
                    if (!full.isShutdown()) {
                        drop();
                    }
                    throw new RejectedExecutionException(
                            "too many writes wait for the API server: kind=%s limit=%d".formatted(kind, most));
                });
    }

    private void drop() {
        dropped.run();
        if (lost.getAndIncrement() == 0) {
            log.warn("event=writes.dropped kind={} waiting={}", kind, waiting());
        }
    }

    /**
     * Makes a write after those before it.
     *
     * @throws RejectedExecutionException if too many wait
     */
    @Override
    public void execute(Runnable write) {
        SurvivingTask task = new SurvivingTask("write-" + kind, write, failures);
        thread.execute(() -> {
            task.run();
            long since = thread.getQueue().isEmpty() ? lost.getAndSet(0) : 0;
            if (since > 0) {
                log.info("event=writes.caught_up kind={} dropped={}", kind, since);
            }
        });
    }

    /** How many writes wait. */
    public int waiting() {
        return thread.getQueue().size();
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
