package io.numaledger.kubelet;

import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.topology.Sorted;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The allocations that a node's kubelet remembers at one instant. Only {@link KubeletModel} creates it.
 *
 * @param cpus absent with CPU Manager policy none
 * @param memory absent with Memory Manager policy None
 * @param stale pods that were refused, deleted or have ended, and whose allocations the kubelet has not removed yet
 */
public record NodeState(
        Optional<CpuState> cpus, Optional<MemoryState> memory, DeviceState devices, SortedSet<String> stale) {

    public NodeState {
        stale = Sorted.sortedSet(stale);
    }

    /**
     * These allocations without the names of pods. They give the same results for a new pod and are cheap to copy. The state must have no stale pods.
     */
    public NodeState anonymous() {
        return new NodeState(
                cpus.map(CpuState::anonymous), memory.map(MemoryState::anonymous), devices.anonymous(), stale);
    }

    NodeState withStale(String pod) {
        SortedSet<String> more = new TreeSet<>(stale);
        more.add(pod);
        return new NodeState(cpus, memory, devices, more);
    }
}
