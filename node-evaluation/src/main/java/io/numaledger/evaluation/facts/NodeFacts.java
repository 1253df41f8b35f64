package io.numaledger.evaluation.facts;

import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.pod.PodRequest;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;
import static io.numaledger.topology.Sorted.sortedSet;

/**
 * What matters of a Node object.
 *
 * @param kubeletVersion such as {@code v1.36.3}; absent until the kubelet has reported it
 * @param capacity extended resources: all devices, unhealthy ones included, in counts
 * @param allocatable extended resources: the healthy devices, in counts
 * @param gpus the GPU topology that its agent has published; absent: none that can be read
 * @param gpusUnusable why what is published of its GPUs cannot be used, as a sentence; absent where nothing is, or it can
 * @param pci the NUMA nodes of its PCI functions that its agent has published; absent: none that can be read
 * @param constraints what decides beside NUMA alignment
 */
public record NodeFacts(
        String name,
        Optional<String> kubeletVersion,
        SortedMap<String, Long> capacity,
        SortedMap<String, Long> allocatable,
        Optional<GpuTopology> gpus,
        Optional<String> gpusUnusable,
        Optional<PciNumaNodes> pci,
        NodeConstraints constraints) {

    private static final NodeConstraints UNCONSTRAINED = new NodeConstraints(
            new TreeMap<>(), false, Optional.empty(), List.of(), new TreeMap<>(), Collections.emptySortedSet());

    public NodeFacts {
        capacity = sorted(capacity);
        allocatable = sorted(allocatable);
    }

    /**
     * Whether it has all kinds of devices that a pod requests, free or not.
     *
     * @param hasDraDevices it has devices of Dynamic Resource Allocation
     */
    public boolean offers(PodRequest pod, boolean hasDraDevices) {
        return pod.inAllocationOrder().stream()
                .flatMap(container -> container.resources().requests().keySet().stream())
                .filter(resource -> resource.contains("/"))
                .allMatch(resource -> allocatable.getOrDefault(resource, 0L) > 0
                        || (hasDraDevices && constraints.draBacked().contains(resource)));
    }

    /** This node without a cordon. */
    public NodeFacts uncordoned() {
        return new NodeFacts(
                name, kubeletVersion, capacity, allocatable, gpus, gpusUnusable, pci, constraints.uncordoned());
    }

    /**
     * This node with another kubelet.
     *
     * @param version absent: as it is
     * @param allocatableNow see {@link NodeConstraints#allocatable}
     */
    public NodeFacts running(Optional<String> version, SortedMap<String, Long> allocatableNow) {
        return new NodeFacts(
                name,
                version.or(() -> kubeletVersion),
                capacity,
                allocatable,
                gpus,
                gpusUnusable,
                pci,
                constraints.allocating(allocatableNow));
    }

    /**
     * This node in a cluster whose DeviceClasses serve these extended resources. A device plugin that has some of a resource comes first
     * (kube-scheduler's noderesources/fit.go, shouldDelegateResourceToDRA); after one that is gone the kubelet reports 0.
     */
    public NodeFacts withDeviceClasses(SortedSet<String> served) {
        SortedSet<String> draBacked = sortedSet(served.stream()
                .filter(resource -> !isPositive(capacity, resource) && !isPositive(allocatable, resource))
                .toList());
        return draBacked.isEmpty()
                ? this
                : new NodeFacts(
                        name,
                        kubeletVersion,
                        without(capacity, draBacked),
                        without(allocatable, draBacked),
                        gpus,
                        gpusUnusable,
                        pci,
                        constraints.backedByDra(draBacked.equals(served) ? served : draBacked));
    }

    private static boolean isPositive(SortedMap<String, Long> amounts, String resource) {
        return amounts.getOrDefault(resource, 0L) > 0;
    }

    /** Amounts without some resources; the same object if it has none of them, because a cluster has many nodes. */
    static SortedMap<String, Long> without(SortedMap<String, Long> amounts, SortedSet<String> resources) {
        if (Collections.disjoint(amounts.keySet(), resources)) {
            return amounts;
        }
        SortedMap<String, Long> others = new TreeMap<>(amounts);
        others.keySet().removeAll(resources);
        return others;
    }

    /** The NUMA nodes of its PCI functions, as far as its agent has published them: an older one those of GPUs only. */
    public PciNumaNodes pciNumaNodes() {
        return pci.orElseGet(() -> new PciNumaNodes(gpus.stream()
                .flatMap(topology -> topology.gpus().stream())
                .filter(gpu -> gpu.pciAddress().isPresent() && gpu.numaNode().isPresent())
                .map(gpu -> PciNumaNodes.Run.of(
                        gpu.pciAddress().orElseThrow(), gpu.numaNode().getAsInt()))
                .toList()));
    }

    /** A node without constraints. */
    public NodeFacts(
            String name,
            Optional<String> kubeletVersion,
            SortedMap<String, Long> capacity,
            SortedMap<String, Long> allocatable) {
        this(
                name,
                kubeletVersion,
                capacity,
                allocatable,
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                UNCONSTRAINED);
    }

    /** What NUMA alignment depends on: the same for nodes of equal hardware. */
    public NodeFacts anonymous() {
        return new NodeFacts("", kubeletVersion, capacity, allocatable);
    }
}
