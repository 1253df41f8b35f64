package io.numaledger.benchmarks.capacity;

import io.numaledger.benchmarks.churn.ModelNode;
import io.numaledger.pod.PodRequest;

import java.util.OptionalLong;

/**
 * A pod without a node. All times are in milliseconds of simulated time.
 *
 * @param runs how long it runs; empty: until the end
 * @param triedAt when it was last refused by all nodes; its creation, if it was never
 */
record WaitingPod(PodRequest request, long createdAt, OptionalLong runs, long triedAt) {

    long cpu() {
        return ModelNode.cpu(request);
    }

    WaitingPod refusedAt(long now) {
        return new WaitingPod(request, createdAt, runs, now);
    }
}
