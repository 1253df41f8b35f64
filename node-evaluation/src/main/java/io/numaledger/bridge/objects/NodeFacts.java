package io.numaledger.bridge.objects;

import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciAddress;
import io.numaledger.pod.PodRequest;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What matters of a Node object.
 *
 * @param kubeletVersion such as {@code v1.36.3}; absent until the kubelet has reported it
 * @param capacity extended resources: all devices, unhealthy ones included, in counts
 * @param allocatable extended resources: the healthy devices, in counts
 * @param gpus the GPU topology that its agent has published; absent: none that can be read
 * @param gpusUnusable why what is published of its GPUs cannot be used, as a sentence; absent where nothing is, or it can
 * @param constraints what decides beside NUMA alignment
 */
public record NodeFacts(
        String name,
        Optional<String> kubeletVersion,
        SortedMap<String, Long> capacity,
        SortedMap<String, Long> allocatable,
        Optional<GpuTopology> gpus,
        Optional<String> gpusUnusable,
        NodeConstraints constraints) {

    private static final NodeConstraints UNCONSTRAINED =
            new NodeConstraints(new TreeMap<>(), false, Optional.empty(), List.of(), new TreeMap<>());

    public NodeFacts {
        capacity = sorted(capacity);
        allocatable = sorted(allocatable);
    }

    /** Whether it has all kinds of devices that a pod requests, free or not. */
    public boolean offers(PodRequest pod) {
        return pod.inAllocationOrder().stream()
                .flatMap(container -> container.resources().requests().keySet().stream())
                .filter(resource -> resource.contains("/"))
                .allMatch(resource -> allocatable.getOrDefault(resource, 0L) > 0);
    }

    /** The NUMA nodes of its PCI devices, as far as its agent has published them. */
    public Map<PciAddress, Integer> pciDevices() {
        return gpus.stream()
                .flatMap(topology -> topology.gpus().stream())
                .filter(gpu -> gpu.pciAddress().isPresent() && gpu.numaNode().isPresent())
                .collect(Collectors.toMap(
                        gpu -> gpu.pciAddress().orElseThrow(),
                        gpu -> gpu.numaNode().orElseThrow(),
                        (one, other) -> one));
    }

    /** A node without constraints. */
    public NodeFacts(
            String name,
            Optional<String> kubeletVersion,
            SortedMap<String, Long> capacity,
            SortedMap<String, Long> allocatable) {
        this(name, kubeletVersion, capacity, allocatable, Optional.empty(), Optional.empty(), UNCONSTRAINED);
    }

    /** What NUMA alignment depends on: the same for nodes of equal hardware. */
    public NodeFacts anonymous() {
        return new NodeFacts("", kubeletVersion, capacity, allocatable);
    }
}
