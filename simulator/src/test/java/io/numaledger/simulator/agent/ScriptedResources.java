package io.numaledger.simulator.agent;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;

import java.util.List;

/** A kubelet that says what the test tells it to say. */
final class ScriptedResources implements PodResources {

    private volatile List<PodAllocation> pods = List.of();
    private volatile AllocatableResources allocatable;

    ScriptedResources(AllocatableResources allocatable) {
        this.allocatable = allocatable;
    }

    void lists(PodAllocation... listed) {
        pods = List.of(listed);
    }

    void mayGiveOut(AllocatableResources resources) {
        allocatable = resources;
    }

    @Override
    public PodResourcesSnapshot list() {
        return new PodResourcesSnapshot(pods);
    }

    @Override
    public AllocatableResources allocatable() {
        return allocatable;
    }

    @Override
    public PodAllocation get(String namespace, String name) {
        throw new UnsupportedOperationException("the agent asks for no single pod: name=" + name);
    }
}
