package io.numaledger.evaluation.fit;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.topology.CpuSet;

import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Everything about a node that decides on a new pod. Who holds what is left out. Nodes with equal keys are of one class. */
final class NodeEquivalenceKey {

    private final KubeletModel kubelet;
    private final CpuSet shared;
    private final SortedMap<Integer, NumaMemory> memory;
    private final SortedMap<String, SortedMap<Long, Integer>> devices = new TreeMap<>();
    private final int hash;

    NodeEquivalenceKey(KubeletModel kubelet, NodeState state) {
        this.kubelet = kubelet;
        this.shared = state.cpus().map(cpus -> cpus.shared()).orElse(CpuSet.EMPTY);
        this.memory = state.memory().map(held -> held.nodes()).orElseGet(TreeMap::new);
        kubelet.devices()
                .ifPresent(allocator -> allocator
                        .resources()
                        .forEach(resource -> devices.put(
                                resource,
                                allocator.countsByMask(resource, allocator.available(resource, state.devices())))));
        this.hash = Objects.hash(System.identityHashCode(kubelet), shared, memory, devices);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NodeEquivalenceKey that
                && hash == that.hash
                && kubelet == that.kubelet
                && shared.equals(that.shared)
                && memory.equals(that.memory)
                && devices.equals(that.devices);
    }

    @Override
    public int hashCode() {
        return hash;
    }
}
