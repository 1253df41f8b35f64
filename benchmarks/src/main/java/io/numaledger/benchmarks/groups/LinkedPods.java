package io.numaledger.benchmarks.groups;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkDemand;

import java.util.List;
import java.util.Optional;

/**
 * How many of the pods that demand linked GPUs got them.
 *
 * @param linked every two of the pod's GPUs have a link
 * @param unlinked some have none, or the kubelet's state does not show which GPUs the pod has
 */
record LinkedPods(int linked, int unlinked) {

    static final LinkedPods NONE = new LinkedPods(0, 0);

    private static final LinkDemand EVERY_PAIR = new LinkDemand(true, 0);

    /**
     * These and one more pod.
     *
     * @param devices the ids of its GPUs
     * @param wanted the number of GPUs that it requested
     */
    LinkedPods with(GpuTopology gpus, List<String> devices, int wanted) {
        List<Optional<String>> ids = gpus.gpus().stream().map(Gpu::uuid).toList();
        GpuSet set = GpuSet.of(
                devices.stream().map(id -> ids.indexOf(Optional.of(id))).toList());
        return set.size() == wanted && EVERY_PAIR.isMetBy(set, gpus.links())
                ? new LinkedPods(linked + 1, unlinked)
                : new LinkedPods(linked, unlinked + 1);
    }
}
