package io.numaledger.kubectl.ui;

import java.time.Duration;

/** Counts how often what the page shows has changed, and lets listeners wait for that. */
public final class Changes {

    private long number = 1;
    private int listeners;

    /** Anything has changed: pages read again what they show. */
    public synchronized void changed() {
        number++;
        notifyAll();
    }

    synchronized long number() {
        return number;
    }

    /** Waits until the number is not the known one, or until the time is over. Returns the number. */
    synchronized long await(long known, Duration atMost) throws InterruptedException {
        long end = System.nanoTime() + atMost.toNanos();
        for (long left = end - System.nanoTime(); number == known && left > 0; left = end - System.nanoTime()) {
            wait(left / 1_000_000 + 1);
        }
        return number;
    }

    synchronized void listen() {
        listeners++;
        notifyAll();
    }

    synchronized void leave() {
        listeners--;
    }

    synchronized void awaitListener() throws InterruptedException {
        while (listeners == 0) {
            wait();
        }
    }
}
