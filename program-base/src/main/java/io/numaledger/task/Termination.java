package io.numaledger.task;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The end of a program that runs until it is stopped. SIGTERM, by which Kubernetes ends a container, is no failure: the program
 * closes what it holds, and its exit status is 0. Java's own would be 143, which {@code kubectl get pods} shows as Error.
 */
public final class Termination implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(Termination.class);

    private final CountDownLatch ended = new CountDownLatch(1);

    /**
     * Begins as soon as this is built.
     *
     * @param stop makes the program close everything, and this last
     * @param timeout how long the process waits for that; zero: the program has nothing to close
     */
    public Termination(Runnable stop, Duration timeout) {
        Runtime.getRuntime().addShutdownHook(new Thread(() -> terminate(stop, timeout), "termination"));
    }

    /** The program ended: with its own status, unless it was told to stop. */
    @Override
    public void close() {
        ended.countDown();
    }

    /** Runs on each exit of the process. The thread that runs the program cannot exit during that, so that the status is set here. */
    private void terminate(Runnable stop, Duration timeout) {
        if (ended.getCount() == 0) {
            return;
        }
        stop.run();
        try {
            if (!timeout.isZero() && !ended.await(timeout.toMillis(), TimeUnit.MILLISECONDS)) {
                log.warn("event=stop.timed_out after_ms={}", timeout.toMillis());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        Runtime.getRuntime().halt(0);
    }
}
