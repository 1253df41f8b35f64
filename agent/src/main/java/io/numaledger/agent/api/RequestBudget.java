package io.numaledger.agent.api;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** A token bucket: at most {@code burst} requests at once, and {@code qps} a second in the long run. */
public final class RequestBudget {

    private final double nanosPerToken;
    private final int burst;
    private final LongSupplier nanoTime;
    private double tokens;
    private long refilledAt;

    /**
     * @param qps requests a second, above 0
     * @param burst 1 or more
     */
    public RequestBudget(double qps, int burst, LongSupplier nanoTime) {
        if (!(qps > 0) || burst < 1) {
            throw new IllegalArgumentException(
                    "a request budget needs qps above 0 and burst of 1 or more: qps=%s burst=%d".formatted(qps, burst));
        }
        this.nanosPerToken = TimeUnit.SECONDS.toNanos(1) / qps;
        this.burst = burst;
        this.nanoTime = nanoTime;
        this.tokens = burst;
        this.refilledAt = nanoTime.getAsLong();
    }

    /** Takes one request from the budget. Returns how long to wait before sending it. */
    synchronized Duration reserve() {
        long now = nanoTime.getAsLong();
        tokens = Math.min(burst, tokens + (now - refilledAt) / nanosPerToken);
        refilledAt = now;
        tokens -= 1;
        return tokens >= 0 ? Duration.ZERO : Duration.ofNanos((long) (-tokens * nanosPerToken));
    }

    /** Waits until one more request may be made; an interrupt ends the wait and stays set. */
    public void take() {
        Duration wait = reserve();
        if (!wait.isZero()) {
            try {
                TimeUnit.NANOSECONDS.sleep(wait.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
