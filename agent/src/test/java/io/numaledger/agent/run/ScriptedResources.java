package io.numaledger.agent.run;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;

import java.util.List;

/** The pod resources of a kubelet, as a test sets them. */
final class ScriptedResources implements PodResources {

    private volatile List<PodAllocation> pods = List.of();
    private volatile AllocatableResources allocatable;

    ScriptedResources(AllocatableResources allocatable) {
        this.allocatable = allocatable;
    }

    void lists(PodAllocation... listed) {
        pods = List.of(listed);
    }

    void canAllocate(AllocatableResources resources) {
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
        throw new UnsupportedOperationException("unexpected call of Get: name=" + name);
    }
}
