package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.topology.CpuSet;

/** Picks CPU ids out of free ones, as the policy options say (cm/cpumanager/policy_static.go, takeByTopology). */
final class CpuPicker {

    /** CPUs, or the kubelet's sentence why there are none. */
    sealed interface Result {

        record Taken(CpuSet cpus) implements Result {}

        record Failed(String message, int missing) implements Result {}
    }

    private final PackedCpuPicker packed;
    private final DistributedCpuPicker distributed;
    private final boolean distributes;
    private final boolean namesNumbers;

    CpuPicker(KubeletRules rules, CpuTopology topology) {
        this.packed = new PackedCpuPicker(
                topology,
                rules.has(CpuOption.PREFER_ALIGN_CPUS_BY_UNCORECACHE),
                rules.has(CpuOption.DISTRIBUTE_CPUS_ACROSS_CORES),
                rules.version());
        int groupSize = rules.has(CpuOption.FULL_PCPUS_ONLY) ? topology.averageSize(Level.CORE) : 1;
        this.distributed = new DistributedCpuPicker(
                topology,
                packed.withoutCaches(),
                groupSize,
                rules.has(CpuOption.ALIGN_BY_SOCKET) && rules.version().distributesWithinSockets(),
                rules.version());
        this.distributes = rules.has(CpuOption.DISTRIBUTE_CPUS_ACROSS_NUMA);
        this.namesNumbers = rules.version().saysHowManyCpusAreMissing();
    }

    /** Picks {@code count} CPUs. {@code hinted}: how many NUMA nodes the Topology Manager's hint has; 0: there is no hint. */
    Result pick(CpuSet free, int count, int hinted) {
        if (count > free.size()) {
            String numbers = namesNumbers ? ": requested=%d, available=%d".formatted(count, free.size()) : "";
            return new Result.Failed("not enough cpus available to satisfy request" + numbers, count - free.size());
        }
        return distributes ? distributed.pick(free, count, hinted) : new Result.Taken(packed.pick(free, count));
    }
}
