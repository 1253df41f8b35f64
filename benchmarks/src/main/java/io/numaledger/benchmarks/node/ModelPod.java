package io.numaledger.benchmarks.node;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.numaledger.fastpath.CompiledPod;
import io.numaledger.fastpath.ResourceIndex;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.simulator.node.PodRequests;

/**
 * A pod for {@link ModelNode}. It was never created: its name is its UID.
 *
 * @param compiled the request as the fast path evaluates it
 * @param cpu what its containers request together, in milli-CPU
 */
public record ModelPod(PodRequest request, CompiledPod compiled, long cpu) {

    /** @param index that of the nodes */
    public static ModelPod of(Pod pod, ResourceIndex index) {
        PodRequest request = PodRequests.of(new PodBuilder(pod)
                .editMetadata()
                .withUid(pod.getMetadata().getName())
                .endMetadata()
                .build());
        return new ModelPod(request, CompiledPod.of(request, index), cpu(request));
    }

    private static long cpu(PodRequest pod) {
        return pod.containers().stream()
                .mapToLong(container -> container
                        .resources()
                        .requests()
                        .getOrDefault("cpu", RequestedAmount.ZERO)
                        .millis())
                .sum();
    }

    public String name() {
        return request.name();
    }
}
