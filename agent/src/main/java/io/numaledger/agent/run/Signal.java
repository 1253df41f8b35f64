package io.numaledger.agent.run;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes the loop; raised many times before the loop looks, it wakes it once. */
public final class Signal {

    private final Semaphore raised = new Semaphore(0);

    public void raise() {
        if (raised.availablePermits() == 0) {
            raised.release();
        }
    }

    /** Waits for the signal or for the time to pass; true if it was raised. */
    boolean await(Duration time) throws InterruptedException {
        boolean woken = raised.tryAcquire(Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
        raised.drainPermits();
        return woken;
    }
}
