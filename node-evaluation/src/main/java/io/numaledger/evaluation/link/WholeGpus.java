package io.numaledger.evaluation.link;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.gpu.GpuTopology;

import java.util.List;
import java.util.Map;

/**
 * Tells whether each device of NVIDIA's device plugin is a whole GPU. The labels are those of NVIDIA's GPU feature discovery. With MIG
 * strategy {@code single}, the devices are whole GPUs or slices, and the product tells which (internal/lm/mig-strategy.go in
 * NVIDIA/k8s-device-plugin).
 */
final class WholeGpus {

    static final String TOO_MANY_DEVICES =
            "the GPU topology has fewer GPUs than the node has devices; they may be shared or partitioned";

    private static final String PRODUCT = "nvidia.com/gpu.product";
    private static final String MIG_STRATEGY = "nvidia.com/mig.strategy";
    private static final String SHARING_STRATEGY = "nvidia.com/gpu.sharing-strategy";

    private WholeGpus() {}

    /** @throws IllegalArgumentException if the devices may be something else */
    static void check(NodeFacts node) {
        Map<String, String> labels = node.constraints().labels();
        String product = labels.getOrDefault(PRODUCT, "");
        reject(product.contains("-MIG-"), "its devices are slices of MIG");
        reject(
                product.isEmpty() && labels.getOrDefault(MIG_STRATEGY, "").equals("single"),
                "its devices may be slices of MIG: the label %s=single is there without %s"
                        .formatted(MIG_STRATEGY, PRODUCT));
        reject(
                product.endsWith("-SHARED")
                        || !labels.getOrDefault(SHARING_STRATEGY, "none").equals("none"),
                "its GPUs are shared");
        int gpus = node.gpus().map(GpuTopology::gpus).map(List::size).orElse(Integer.MAX_VALUE);
        reject(node.allocatable().getOrDefault(NamedGpus.RESOURCE, 0L) > gpus, TOO_MANY_DEVICES);
    }

    private static void reject(boolean otherwise, String complaint) {
        if (otherwise) {
            throw new IllegalArgumentException(complaint);
        }
    }
}
