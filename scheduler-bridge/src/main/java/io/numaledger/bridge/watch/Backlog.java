package io.numaledger.bridge.watch;

import java.util.concurrent.TimeUnit;

/**
 * New objects of one kind that an informer has read and its handler has not seen yet. Once they are too many, whoever reads them waits until
 * half of them are handled: the queue of the informer has no bound, and the objects of a large cluster do not fit in memory at once.
 * Thread-safe.
 */
final class Backlog {

    /** Four pages of a list. */
    static final int MOST = 2_000;

    private static final long LONGEST_WAIT_NANOS = TimeUnit.SECONDS.toNanos(30);

    private int waiting;
    private boolean closed;

    /** An object was read, and its handler will be called. Waits while there are too many, but not for a handler that is stuck. */
    synchronized void read() {
        if (waiting >= MOST) {
            awaitHandlers();
        }
        waiting++;
    }

    private void awaitHandlers() {
        long end = System.nanoTime() + LONGEST_WAIT_NANOS;
        try {
            for (long left = LONGEST_WAIT_NANOS;
                    waiting > MOST / 2 && !closed && left > 0;
                    left = end - System.nanoTime()) {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    synchronized void handled() {
        waiting--;
        if (waiting == MOST / 2) {
            notifyAll();
        }
    }

    /** Nobody waits any more. */
    synchronized void close() {
        closed = true;
        notifyAll();
    }
}
