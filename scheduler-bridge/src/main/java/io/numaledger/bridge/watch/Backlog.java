package io.numaledger.bridge.watch;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * New objects that an informer has read and its handler has not seen yet. While they are too many, whoever reads them waits: the queue of the
 * informer has no bound, and the objects of a large cluster do not fit in memory at once. Thread-safe.
 */
final class Backlog {

    /** Two pages of a list. */
    static final int MOST = 1_000;

    private static final int LONGEST_WAIT_SECONDS = 30;

    private final Semaphore free = new Semaphore(MOST);

    /** An object was read, and its handler will be called. Waits while there are too many, but not for a handler that is stuck or gone. */
    void read() {
        try {
            var unused = free.tryAcquire(LONGEST_WAIT_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    void handled() {
        free.release();
    }

    /** Nobody waits any more. */
    void close() {
        free.release(Integer.MAX_VALUE / 2);
    }
}
