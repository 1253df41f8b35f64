package io.numaledger.agent.metrics;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;

import java.util.List;

/** Counts the calls to the kubelet, and those that failed. */
public final class MeteredPodResources implements PodResources {

    static final List<String> METHODS = List.of("List", "GetAllocatableResources", "Get");

    private final PodResources kubelet;
    private final AgentMetrics metrics;

    public MeteredPodResources(PodResources kubelet, AgentMetrics metrics) {
        this.kubelet = kubelet;
        this.metrics = metrics;
    }

    private interface Call<T> {
        T answer() throws PodResourcesException;
    }

    @Override
    public PodResourcesSnapshot list() throws PodResourcesException {
        return count("List", kubelet::list);
    }

    @Override
    public AllocatableResources allocatable() throws PodResourcesException {
        return count("GetAllocatableResources", kubelet::allocatable);
    }

    @Override
    public PodAllocation get(String namespace, String name) throws PodResourcesException {
        return count("Get", () -> kubelet.get(namespace, name));
    }

    private <T> T count(String method, Call<T> call) throws PodResourcesException {
        metrics.kubeletCalled(method);
        try {
            return call.answer();
        } catch (PodResourcesException e) {
            metrics.kubeletFailed(method, e.kind());
            throw e;
        }
    }
}
