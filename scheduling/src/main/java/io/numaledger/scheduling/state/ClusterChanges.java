package io.numaledger.scheduling.state;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Lets threads wait for changes of the cluster's state. Thread-safe. */
public final class ClusterChanges {

    private long changes;

    /** Something has changed: whoever waits looks again. */
    public synchronized void changed() {
        changes++;
        notifyAll();
    }

    /**
     * Waits until a condition holds, which is tested again after each change.
     *
     * @param condition tested without a lock
     * @return whether it holds
     */
    public boolean await(BooleanSupplier condition, Duration timeout) throws InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        while (true) {
            long seen = count();
            if (condition.getAsBoolean()) {
                return true;
            }
            if (!awaitChange(seen, end)) {
                return false;
            }
        }
    }

    private synchronized long count() {
        return changes;
    }

    /** Returns whether there is time left. */
    private synchronized boolean awaitChange(long seen, long end) throws InterruptedException {
        long left = end - System.nanoTime();
        while (changes == seen && left > 0) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
            left = end - System.nanoTime();
        }
        return left > 0;
    }
}
