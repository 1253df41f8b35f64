package io.numaledger.scheduling.batch;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntConsumer;

/**
 * Splits work among the processors. The caller works on parts that no other thread has begun, then sleeps until the rest is
 * done. A parallel stream would spin instead, which costs most when many calls arrive at once.
 */
final class WorkSplitter {

    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    private WorkSplitter() {}

    /**
     * Runs all parts and returns when they are done.
     *
     * @throws RuntimeException as one of the parts did
     */
    static void run(int parts, IntConsumer work) {
        AtomicInteger next = new AtomicInteger();
        CountDownLatch unfinished = new CountDownLatch(parts);
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Runnable worker = () -> {
            for (int part = next.getAndIncrement(); part < parts; part = next.getAndIncrement()) {
                try {
                    work.accept(part);
                } catch (RuntimeException | Error e) {
                    failure.set(e);
                } finally {
                    unfinished.countDown();
                }
            }
        };
        for (int helper = 1; helper < Math.min(parts, PROCESSORS); helper++) {
            ForkJoinPool.commonPool().execute(worker);
        }
        worker.run();
        try {
            unfinished.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(
                    "interrupted while nodes are evaluated; the scheduler will retry the pod", e);
        }
        if (failure.get() instanceof Error error) {
            throw error;
        }
        if (failure.get() instanceof RuntimeException exception) {
            throw exception;
        }
    }
}
