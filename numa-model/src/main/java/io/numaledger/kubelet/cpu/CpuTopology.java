package io.numaledger.kubelet.cpu;

import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.Arrays;
import java.util.Collections;
import java.util.EnumMap;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;

import static java.util.Objects.requireNonNull;

/**
 * The CPUs as the CPU Manager sees them (cm/cpumanager/topology/topology.go, Discover): only CPUs of a NUMA node; a CPU
 * whose L3 cache is not known is in the cache of its socket; sizes per core, socket and cache are averages, rounded down.
 */
public final class CpuTopology {

    /** The levels at which CPUs belong together; an item is named by its id on that level. */
    public enum Level {
        NUMA_NODE,
        SOCKET,
        UNCORE_CACHE,
        CORE
    }

    private static final int NONE = -1;

    private final CpuSet all;
    private final int onlineCpus;
    private final Map<Level, SortedMap<Integer, CpuSet>> items = new EnumMap<>(Level.class);
    private final Map<Level, Integer> smallest = new EnumMap<>(Level.class);
    private final Map<Level, int[]> itemOfCpu = new EnumMap<>(Level.class);

    public CpuTopology(MachineTopology machine) {
        CpuSet known = CpuSet.EMPTY;
        SortedMap<Integer, CpuSet> numaNodes = new TreeMap<>();
        for (NumaNode node : machine.numaNodes()) {
            if (!node.cpus().isEmpty()) {
                numaNodes.put(node.id(), node.cpus());
                known = known.union(node.cpus());
            }
        }
        this.all = known;
        this.onlineCpus = machine.onlineCpus().size();
        items.put(Level.NUMA_NODE, numaNodes);
        items.put(Level.SOCKET, grouped(machine, CpuTopology::socket));
        items.put(Level.CORE, grouped(machine, LogicalCpu::core));
        items.put(Level.UNCORE_CACHE, grouped(machine, cpu -> cpu.l3Cache().orElse(socket(cpu))));
        items.forEach((level, sets) -> {
            itemOfCpu.put(level, index(sets));
            smallest.put(
                    level, sets.values().stream().mapToInt(CpuSet::size).min().orElse(1));
        });
        all.ids().filter(cpu -> itemOf(Level.CORE, cpu) < 0).findFirst().ifPresent(cpu -> {
            throw new IllegalArgumentException(
                    "a CPU of a NUMA node has a known core: cpu=%d; probe its topology".formatted(cpu));
        });
    }

    /** A machine without package information has one package. */
    private static int socket(LogicalCpu cpu) {
        return cpu.socket().orElse(0);
    }

    private SortedMap<Integer, CpuSet> grouped(MachineTopology machine, ToIntFunction<LogicalCpu> item) {
        SortedMap<Integer, CpuSet> sets = new TreeMap<>();
        for (LogicalCpu cpu : machine.cpus()) {
            if (all.contains(cpu.id())) {
                sets.merge(item.applyAsInt(cpu), CpuSet.of(cpu.id()), CpuSet::union);
            }
        }
        return Collections.unmodifiableSortedMap(sets);
    }

    private int[] index(SortedMap<Integer, CpuSet> sets) {
        int[] index = new int[all.ids().max().orElse(-1) + 1];
        Arrays.fill(index, NONE);
        sets.forEach((item, cpus) -> cpus.ids().forEach(cpu -> index[cpu] = item));
        return index;
    }

    public CpuSet all() {
        return all;
    }

    /** The items of a level, by id. */
    public SortedMap<Integer, CpuSet> items(Level level) {
        return requireNonNull(items.get(level));
    }

    public CpuSet cpus(Level level, int item) {
        return requireNonNull(items.get(level)).getOrDefault(item, CpuSet.EMPTY);
    }

    /** The item that a CPU belongs to. */
    public int itemOf(Level level, int cpu) {
        return requireNonNull(itemOfCpu.get(level))[cpu];
    }

    /** The items of a level that some CPUs touch. */
    public SortedSet<Integer> itemsOf(Level level, CpuSet cpus) {
        int[] index = requireNonNull(itemOfCpu.get(level));
        SortedSet<Integer> touched = new TreeSet<>();
        int last = NONE;
        for (int cpu : cpus.toArray()) {
            if (index[cpu] != last) {
                last = index[cpu];
                touched.add(last);
            }
        }
        return touched;
    }

    /** The NUMA nodes with CPUs. */
    public AffinityMask numaNodes() {
        return AffinityMask.of(requireNonNull(items.get(Level.NUMA_NODE)).keySet());
    }

    public CpuSet cpusOf(AffinityMask mask) {
        return mask.ids().mapToObj(node -> cpus(Level.NUMA_NODE, node)).reduce(CpuSet.EMPTY, CpuSet::union);
    }

    /** The average number of CPUs of an item, rounded down: what the kubelet takes for the size of each. */
    public int averageSize(Level level) {
        int count = requireNonNull(items.get(level)).size();
        return count == 0 ? 0 : onlineCpus / count;
    }

    /** No item has more CPUs than {@link #averageSize}: the kubelet then sees whether one is wholly free. */
    public boolean hasNoneAboveAverage(Level level) {
        return items(level).values().stream().allMatch(cpus -> cpus.size() <= averageSize(level));
    }

    /** Each socket lies in one NUMA node, or each NUMA node in one socket. */
    public boolean nests() {
        boolean numaNodesFirst = count(Level.SOCKET) >= count(Level.NUMA_NODE);
        Level inner = numaNodesFirst ? Level.SOCKET : Level.NUMA_NODE;
        Level outer = numaNodesFirst ? Level.NUMA_NODE : Level.SOCKET;
        return items(inner).values().stream()
                .allMatch(cpus -> itemsOf(outer, cpus).size() == 1);
    }

    /** The number of CPUs of the smallest item; 1 where there is none. */
    public int smallest(Level level) {
        return requireNonNull(smallest.get(level));
    }

    public int count(Level level) {
        return requireNonNull(items.get(level)).size();
    }
}
