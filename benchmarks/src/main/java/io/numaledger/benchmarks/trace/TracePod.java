package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.churn.ModelNode;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.pod.PodRequest;
import io.numaledger.simulator.workload.SimplePod;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A pod as it arrives. Times are in seconds of simulated time.
 *
 * @param compiled the request as the fast path evaluates it
 * @param runs how long it runs; empty: until the end
 */
record TracePod(Trace.Pod pod, PodRequest request, CompiledPod compiled, long arrivesAt, OptionalLong runs) {

    static TracePod of(Trace.Pod pod, ResourceIndex index, long arrivesAt, OptionalLong runs) {
        List<String> limits = new ArrayList<>(List.of("cpu=" + pod.cpus(), "memory=" + pod.memoryBytes()));
        if (pod.gpus() > 0) {
            limits.add(TraceNodeType.GPU + "=" + pod.gpus());
        }
        PodRequest request = ModelNode.request(SimplePod.named(pod.name())
                .with("c", limits.toArray(String[]::new))
                .build());
        return new TracePod(pod, request, CompiledPod.of(request, index), arrivesAt, runs);
    }

    /** Which resources it requests. */
    List<String> resources() {
        return pod.gpus() == 0 ? List.of("cpu", "memory") : List.of("cpu", "memory", TraceNodeType.GPU);
    }

    /** Whole CPUs, bytes, or GPUs. */
    long requested(String resource) {
        return switch (resource) {
            case "cpu" -> pod.cpus();
            case "memory" -> pod.memoryBytes();
            default -> pod.gpus();
        };
    }
}
