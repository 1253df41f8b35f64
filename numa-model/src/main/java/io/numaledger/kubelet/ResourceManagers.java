package io.numaledger.kubelet;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.kubelet.memory.MemoryAllocator;
import io.numaledger.kubelet.policy.TopologyPolicy;

import java.util.Optional;

/** The parts of one kubelet that have a say in admission. */
record ResourceManagers(
        KubeletRules rules,
        TopologyPolicy policy,
        Optional<CpuAllocator> cpus,
        Optional<MemoryAllocator> memory,
        DeviceAllocator devices) {}
