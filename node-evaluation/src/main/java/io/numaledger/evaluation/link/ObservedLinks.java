package io.numaledger.evaluation.link;

import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkedSetSearch;
import io.numaledger.placement.PodAllocation;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * The links between the GPUs that the kubelet gave to a pod, compared with those that it demands, and with the best set of as many GPUs
 * on the same NUMA nodes that no other pod holds.
 *
 * @param links between the pod's GPUs, summed over all pairs
 * @param most the same of the best set; absent where the demand is not met
 */
public record ObservedLinks(Result result, long links, OptionalLong most) {

    /** How the observed set of GPUs compares. */
    public enum Result {
        /** No possible set has more links. */
        BEST,
        /** The observed set meets the demand, and another set has more links. */
        WORSE,
        /** The observed set does not meet the demand. */
        MISSING
    }

    /**
     * Compares; absent where the pod asks for no links, has fewer than two GPUs, or the topology does not say which they are. Also absent
     * where the pod has what it demands, and it is unknown which other GPUs were free.
     *
     * @param pod with the record of its placement
     * @param node with the pod
     * @throws IllegalArgumentException for an invalid demand or record
     */
    public static Optional<ObservedLinks> of(PodFacts pod, NodeSnapshot node) {
        Optional<PlacementRecord<PodAllocation>> record = pod.records().placement();
        Optional<GpuTopology> gpus = node.node().gpus();
        if (!GpuLinks.isAskedBy(pod) || record.isEmpty() || gpus.isEmpty()) {
            return Optional.empty();
        }
        GpuSet held = NamedGpus.of(
                gpus.get(),
                record.get().require().containers().stream().flatMap(container -> container.devices().stream()));
        return held.size() < 2 ? Optional.empty() : compare(pod, node, gpus.get(), held);
    }

    private static Optional<ObservedLinks> compare(PodFacts pod, NodeSnapshot node, GpuTopology gpus, GpuSet held) {
        long links = gpus.links().total(held);
        if (GpuLinks.of(pod).stream().anyMatch(demand -> !demand.isMetBy(held, gpus.links()))) {
            return Optional.of(new ObservedLinks(Result.MISSING, links, OptionalLong.empty()));
        }
        return free(pod, node, gpus)
                .map(free -> free.or(held).and(onNumaNodesOf(gpus, held)))
                .flatMap(choice -> new LinkedSetSearch(gpus).best(held.size(), choice))
                .map(best -> new ObservedLinks(
                        links < best.links() ? Result.WORSE : Result.BEST, links, OptionalLong.of(best.links())));
    }

    /** The GPUs that no other pod holds; absent where a pod holds some that its record does not name, or some are unhealthy. */
    private static Optional<GpuSet> free(PodFacts pod, NodeSnapshot node, GpuTopology gpus) {
        List<PodHolding> others = node.pods().stream()
                .filter(other -> !other.key().equals(pod.key()))
                .toList();
        boolean known = others.stream().allMatch(ObservedLinks::namesItsGpus)
                && node.node().allocatable().getOrDefault(NamedGpus.RESOURCE, 0L)
                        == gpus.gpus().size();
        return known
                ? Optional.of(gpus.all()
                        .minus(NamedGpus.of(gpus, others.stream().flatMap(other -> other.devices().stream()))))
                : Optional.empty();
    }

    private static boolean namesItsGpus(PodHolding pod) {
        long held = pod.placement().zones().values().stream()
                .mapToLong(amounts -> amounts.get(NamedGpus.RESOURCE))
                .sum();
        return held == 0
                || pod.devices().stream().anyMatch(device -> device.resource().equals(NamedGpus.RESOURCE));
    }

    private static GpuSet onNumaNodesOf(GpuTopology gpus, GpuSet set) {
        return GpuSet.of(gpus.all()
                .indexes()
                .filter(index -> set.indexes()
                        .anyMatch(member -> gpus.gpus()
                                .get(member)
                                .numaNode()
                                .equals(gpus.gpus().get(index).numaNode())))
                .toArray());
    }
}
