package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;

/**
 * Takes CPUs group by group: sockets, cores, threads (cm/cpumanager/cpu_assignment.go, cpuAccumulator). An order of items
 * always means: the fewest free CPUs first, between equals the lower id.
 */
final class CpuAccumulator {

    private final CpuTopology topology;
    private final KubeletVersion version;
    private final boolean numaNodesFirst;
    private CpuSet free;
    private CpuSet taken = CpuSet.EMPTY;
    private int needed;

    CpuAccumulator(CpuTopology topology, CpuSet free, int needed, KubeletVersion version) {
        this.topology = topology;
        this.version = version;
        this.numaNodesFirst = topology.count(Level.SOCKET) >= topology.count(Level.NUMA_NODE);
        this.free = free;
        this.needed = needed;
    }

    int needed() {
        return needed;
    }

    CpuSet taken() {
        return taken;
    }

    CpuSet free() {
        return free;
    }

    boolean isSatisfied() {
        return needed < 1;
    }

    void take(CpuSet cpus) {
        taken = taken.union(cpus);
        free = free.minus(cpus);
        needed -= cpus.size();
    }

    /** Takes the CPUs when the request is at least as large. */
    void takeWhole(CpuSet cpus) {
        if (needed >= cpus.size()) {
            take(cpus);
        }
    }

    CpuSet free(Level level, int item) {
        return free.intersect(topology.cpus(level, item));
    }

    boolean isWhollyFree(Level level, int item) {
        int size = switch (level) {
            case NUMA_NODE, UNCORE_CACHE -> topology.cpus(level, item).size();
            case SOCKET, CORE ->
                version.comparesItemsWithTheirOwnSize()
                        ? topology.cpus(level, item).size()
                        : topology.averageSize(level);
        };
        return free(level, item).size() == size;
    }

    /** The level whose whole items are taken first: the larger one. */
    Level firstLevel() {
        return numaNodesFirst ? Level.NUMA_NODE : Level.SOCKET;
    }

    Level secondLevel() {
        return numaNodesFirst ? Level.SOCKET : Level.NUMA_NODE;
    }

    /** Items with free CPUs, item by item of the level around them. */
    List<Integer> ordered(Level level) {
        if (level == firstLevel()) {
            return ordered(level, topology.itemsOf(level, free));
        }
        List<Integer> order = new ArrayList<>();
        Level around = switch (level) {
            case NUMA_NODE, SOCKET -> firstLevel();
            case UNCORE_CACHE -> Level.NUMA_NODE;
            case CORE -> secondLevel();
        };
        for (int outer : ordered(around)) {
            order.addAll(ordered(level, topology.itemsOf(level, free(around, outer))));
        }
        return order;
    }

    /** The cores with free CPUs of a socket, whatever NUMA nodes they are in. */
    List<Integer> orderedCores(int socket) {
        return ordered(Level.CORE, topology.itemsOf(Level.CORE, free(Level.SOCKET, socket)));
    }

    private List<Integer> ordered(Level level, SortedSet<Integer> items) {
        return items.stream()
                .mapToLong(item -> (long) free(level, item).size() << Integer.SIZE | item)
                .sorted()
                .mapToObj(sizeAndItem -> (int) sizeAndItem)
                .toList();
    }

    List<Integer> whollyFree(Level level) {
        return ordered(level).stream().filter(item -> isWhollyFree(level, item)).toList();
    }
}
