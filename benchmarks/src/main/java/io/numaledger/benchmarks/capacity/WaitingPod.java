package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.node.ModelPod;

import java.util.OptionalLong;

/**
 * A pod without a node. All times are in milliseconds of simulated time.
 *
 * @param runs how long it runs; empty: until the end
 * @param triedAt when it was last refused by all nodes; its creation, if it was never
 */
record WaitingPod(ModelPod pod, long createdAt, OptionalLong runs, long triedAt) {

    long cpu() {
        return pod.cpu();
    }

    WaitingPod refusedAt(long now) {
        return new WaitingPod(pod, createdAt, runs, now);
    }
}
