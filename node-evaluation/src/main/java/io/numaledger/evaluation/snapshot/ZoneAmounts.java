package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.placement.Amounts;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** What is free in a zone, and how much of it one container gets, for people. */
public final class ZoneAmounts {

    private ZoneAmounts() {}

    /** The free amounts of one zone; a device of several zones counts in each of them. */
    public static SortedMap<String, Long> free(KubeletModel kubelet, NodeState state, NumaNode numaNode) {
        TreeMap<String, Long> free = new TreeMap<>();
        kubelet.cpus().ifPresent(cpus -> {
            CpuSet shared = state.cpus().orElseThrow().shared().minus(cpus.reserved());
            free.put(Amounts.CPU, shared.intersect(numaNode.cpus()).size() * 1000L);
        });
        state.memory().ifPresent(memory -> {
            NumaMemory here = requireNonNull(memory.nodes().get(numaNode.id()));
            here.free().forEach(free::put);
        });
        kubelet.devices()
                .ifPresent(devices -> devices.resources().forEach(resource -> {
                    long count =
                            devices
                                    .countsByMask(resource, devices.available(resource, state.devices()))
                                    .entrySet()
                                    .stream()
                                    .filter(group -> new AffinityMask(group.getKey()).contains(numaNode.id()))
                                    .mapToLong(group -> group.getValue())
                                    .sum();
                    free.put(resource, count);
                }));
        return free;
    }

    /**
     * The most CPUs and memory that one container gets from one zone: less than what is free where the kubelet gives whole cores only, or
     * where the zone is in a memory group and the policy allows no other zones of it. Of devices, it gets all that are free.
     */
    public static SortedMap<String, Long> largestRequests(KubeletModel kubelet, NodeState state, NumaNode numaNode) {
        TreeMap<String, Long> largest = new TreeMap<>();
        kubelet.cpus()
                .ifPresent(cpus -> largest.put(
                        Amounts.CPU, cpus.largestRequest(state.cpus().orElseThrow(), numaNode.id()) * 1000L));
        kubelet.memory()
                .ifPresent(memory ->
                        largest.putAll(memory.largestRequests(state.memory().orElseThrow(), numaNode.id())));
        return largest;
    }
}
