package io.numaledger.kubelet;

import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.kubelet.device.DeviceState;
import io.numaledger.kubelet.memory.MemoryState;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * What a node's kubelet remembers at one instant. Made by {@link KubeletModel} only.
 *
 * @param cpus absent with CPU Manager policy none
 * @param memory absent with Memory Manager policy None
 * @param gone pods that are refused, removed or finished, and whose holdings the kubelet has not swept yet
 */
public record NodeState(
        Optional<CpuState> cpus, Optional<MemoryState> memory, DeviceState devices, SortedSet<String> gone) {

    public NodeState {
        gone = Collections.unmodifiableSortedSet(new TreeSet<>(gone));
    }

    /**
     * The same amounts, held by nobody in particular: decides alike on a pod that is new there, and is cheap to copy. For a state that is
     * swept.
     */
    public NodeState anonymous() {
        return new NodeState(
                cpus.map(CpuState::anonymous), memory.map(MemoryState::anonymous), devices.anonymous(), gone);
    }

    NodeState withGone(String pod) {
        SortedSet<String> more = new TreeSet<>(gone);
        more.add(pod);
        return new NodeState(cpus, memory, devices, more);
    }
}
