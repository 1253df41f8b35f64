package io.numaledger.bridge.ledger;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Work in parts, shared out among the processors. The caller does what nobody else has begun, then sleeps until the rest is done; a parallel
 * stream would have it spin, which costs most when many calls come at once.
 */
final class Parts {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private Parts() {}

    /** Returns when all is done. @throws RuntimeException as one of the parts did */
    static void each(int parts, IntConsumer work) {
        AtomicInteger next = new AtomicInteger();
        CountDownLatch undone = new CountDownLatch(parts);
        AtomicReference<RuntimeException> failed = new AtomicReference<>();
        Runnable some = () -> {
            for (int part = next.getAndIncrement(); part < parts; part = next.getAndIncrement()) {
                try {
                    work.accept(part);
                } catch (RuntimeException e) {
                    failed.set(e);
                } finally {
                    undone.countDown();
                }
            }
        };
        for (int helper = 1; helper < Math.min(parts, PROCESSORS); helper++) {
            ForkJoinPool.commonPool().execute(some);
        }
        some.run();
        try {
            undone.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while nodes are asked; the pod is tried again", e);
        }
        if (failed.get() != null) {
            throw failed.get();
        }
    }
}
