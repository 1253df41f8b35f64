package io.numaledger.agent.kubelet;

import io.numaledger.agent.api.RequestBudget;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.podresources.PodResources;
import io.numaledger.podresources.PodResourcesException;

/**
 * Calls the kubelet only as often as a budget allows, and waits otherwise: the kubelet's limit, 100 calls a second and 10 at once
 * (pkg/kubelet/apis/podresources), is shared by all clients of the socket.
 */
public final class BudgetedPodResources implements PodResources {

    private final PodResources kubelet;
    private final RequestBudget budget;

    public BudgetedPodResources(PodResources kubelet, RequestBudget budget) {
        this.kubelet = kubelet;
        this.budget = budget;
    }

    @Override
    public PodResourcesSnapshot list() throws PodResourcesException {
        budget.take();
        return kubelet.list();
    }

    @Override
    public AllocatableResources allocatable() throws PodResourcesException {
        budget.take();
        return kubelet.allocatable();
    }

    @Override
    public PodAllocation get(String namespace, String name) throws PodResourcesException {
        budget.take();
        return kubelet.get(namespace, name);
    }
}
