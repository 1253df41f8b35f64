package io.numaledger.benchmarks.trace;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.benchmarks.node.ModelPod;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.simulator.workload.SimplePod;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;

/**
 * A pod as it arrives. Times are in seconds of simulated time.
 *
 * @param runs how long it runs; empty: until the end
 */
record TracePod(Trace.Pod pod, ModelPod model, long arrivesAt, OptionalLong runs) {

    static final Comparator<TracePod> BY_AGE = Comparator.comparingLong(TracePod::arrivesAt)
            .thenComparing(each -> each.pod().name());

    static TracePod of(Trace.Pod pod, ResourceIndex index, long arrivesAt, OptionalLong runs) {
        return new TracePod(pod, ModelPod.of(object(pod.name(), pod), index), arrivesAt, runs);
    }

    /** A Pod that requests the same, under this name. */
    Pod object(String name) {
        return object(name, pod);
    }

    private static Pod object(String name, Trace.Pod pod) {
        List<String> limits = new ArrayList<>(List.of("cpu=" + pod.cpus(), "memory=" + pod.memoryBytes()));
        if (pod.gpus() > 0) {
            limits.add(Trace.GPU + "=" + pod.gpus());
        }
        return SimplePod.named(name)
                .neverRestarted()
                .with("c", limits.toArray(String[]::new))
                .build();
    }

    /** Which resources it requests. */
    List<String> resources() {
        return pod.gpus() == 0 ? List.of("cpu", "memory") : List.of("cpu", "memory", Trace.GPU);
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
