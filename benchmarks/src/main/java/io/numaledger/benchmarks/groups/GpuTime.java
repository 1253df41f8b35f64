package io.numaledger.benchmarks.groups;

/** A number of GPUs over time: its mean. Not thread-safe. */
final class GpuTime {

    private final long begin;
    private long gpus;
    private long since;
    private long gpuNanos;

    /** @param begin of {@link System#nanoTime()}, as all times here */
    GpuTime(long begin) {
        this.begin = begin;
        this.since = begin;
    }

    void set(long count, long now) {
        gpuNanos += gpus * (now - since);
        gpus = count;
        since = now;
    }

    /** In tenths of a GPU, since the begin. */
    long meanTenths(long now) {
        return now == begin ? 0 : 10 * (gpuNanos + gpus * (now - since)) / (now - begin);
    }
}
