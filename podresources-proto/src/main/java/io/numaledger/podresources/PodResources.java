package io.numaledger.podresources;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;

/** Port: the allocated and the allocatable resources of this node, as the kubelet reports them. */
public interface PodResources {

    /** Every pod that the kubelet lists, at one instant. */
    PodResourcesSnapshot list() throws PodResourcesException;

    /** What the kubelet may give out, held or not. */
    AllocatableResources allocatable() throws PodResourcesException;

    /** One pod; {@link PodResourcesException.Kind#NO_SUCH_POD} if the kubelet does not know it. */
    PodAllocation get(String namespace, String name) throws PodResourcesException;
}
