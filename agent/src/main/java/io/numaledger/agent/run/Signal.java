package io.numaledger.agent.run;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/** Wakes the loop once, however often it is raised before the loop waits for it. */
public final class Signal {

    private final Semaphore raised = new Semaphore(0);

    public void raise() {
        if (raised.availablePermits() == 0) {
            raised.release();
        }
    }

    /** Waits for the signal or the timeout; true if the signal was raised. */
    boolean await(Duration time) throws InterruptedException {
        boolean woken = raised.tryAcquire(Math.max(0, time.toNanos()), TimeUnit.NANOSECONDS);
        raised.drainPermits();
        return woken;
    }
}
