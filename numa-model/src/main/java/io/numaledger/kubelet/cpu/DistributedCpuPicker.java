package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.topology.CpuSet;

import java.util.Optional;

/**
 * Spreads CPUs evenly over the fewest NUMA nodes that allow it (cm/cpumanager/cpu_assignment.go,
 * takeByTopologyNUMADistributed; policy option {@code distribute-cpus-across-numa}), before 1.38 with the kubelet's mistakes: the
 * shared slices of kubernetes#141237 and the endless loop of kubernetes#140730.
 *
 * @param groupSize CPUs are handed out in groups of so many: the CPUs of a core with {@code full-pcpus-only}, else 1
 * @param bySocket NUMA nodes of one socket are preferred, whatever the balance
 */
record DistributedCpuPicker(
        CpuTopology topology, PackedCpuPicker packed, int groupSize, boolean bySocket, KubeletVersion version) {

    /**
     * Picks {@code count} CPUs.
     *
     * @param hinted how many NUMA nodes the Topology Manager's hint has; 0: there is no hint
     * @throws KubeletFailureException when the kubelet would never come back
     */
    CpuPicker.Result pick(CpuSet free, int count, int hinted) {
        if (count % groupSize != 0 || count < 1) {
            return new CpuPicker.Result.Taken(packed.pick(free, count));
        }
        CpuAccumulator pool = new CpuAccumulator(topology, free, count, version);
        int[] numaNodes = pool.ordered(Level.NUMA_NODE).stream()
                .mapToInt(Integer::intValue)
                .toArray();
        int wanted = ceil(count, groupSize);
        int most = Math.min(wanted, topology.itemsOf(Level.NUMA_NODE, free).size());
        for (int width = least(wanted, most, hinted); width <= most; width++) {
            Optional<Balance.Choice> best = new Balance(this, pool, numaNodes, count).best(width);
            if (best.isPresent()) {
                return hand(pool, best.get(), count);
            }
        }
        return new CpuPicker.Result.Taken(packed.pick(free, count));
    }

    /** rangeNUMANodesNeededToSatisfy. */
    private int least(int wanted, int most, int hinted) {
        int groups = ceil(topology.all().size(), groupSize);
        int perNumaNode = ceil(groups, topology.count(Level.NUMA_NODE));
        int least = ceil(wanted, perNumaNode);
        return version.distributesOverAsManyNodesAsTheHint() && hinted <= most ? Math.max(least, hinted) : least;
    }

    private static int ceil(int amount, int size) {
        return (amount - 1) / size + 1;
    }

    private CpuPicker.Result hand(CpuAccumulator pool, Balance.Choice choice, int count) {
        int[] nodes = choice.nodes().values();
        int even = count / nodes.length / groupSize * groupSize;
        if (version.distributesWithinSockets()) {
            for (int node : nodes) {
                even = Math.min(even, pool.free(Level.NUMA_NODE, node).size() / groupSize * groupSize);
            }
        }
        for (int node : nodes) {
            takeFrom(pool, node, even);
        }
        int rest = count - even * nodes.length;
        int[] restNodes = choice.restNodes().map(GoIntSlice::values).orElse(new int[0]);
        while (rest > 0) {
            int before = rest;
            for (int node : restNodes) {
                if (rest > 0 && pool.free(Level.NUMA_NODE, node).size() >= groupSize) {
                    takeFrom(pool, node, groupSize);
                    rest -= groupSize;
                }
            }
            if (rest == before) {
                throw endless(count);
            }
        }
        return pool.needed() > 0
                ? new CpuPicker.Result.Failed(
                        "accounting error, not enough CPUs allocated, remaining: " + pool.needed(), pool.needed())
                : new CpuPicker.Result.Taken(pool.taken());
    }

    /** A NUMA node that a shared slice brought in by mistake may have too little: then the kubelet takes nothing. */
    private void takeFrom(CpuAccumulator pool, int node, int count) {
        CpuSet free = pool.free(Level.NUMA_NODE, node);
        if (count > 0 && free.size() >= count) {
            pool.take(packed.pick(free, count));
        }
    }

    static KubeletFailureException endless(int count) {
        return new KubeletFailureException(
                Kind.HANG,
                "the kubelet distributes the last CPUs for ever (kubernetes#140730): cpus=%d; drop distribute-cpus-across-numa or full-pcpus-only"
                        .formatted(count));
    }
}
