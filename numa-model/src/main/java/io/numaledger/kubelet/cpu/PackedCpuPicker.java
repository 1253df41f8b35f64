package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.cpu.CpuTopology.Level;
import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Fills whole NUMA nodes, sockets, L3 caches and cores before single CPUs (cm/cpumanager/cpu_assignment.go,
 * takeByTopologyNUMAPacked).
 *
 * @param byCache {@code prefer-align-cpus-by-uncorecache}
 * @param spread {@code distribute-cpus-across-cores}: no whole cores, and single CPUs socket by socket
 */
record PackedCpuPicker(CpuTopology topology, boolean byCache, boolean spread, KubeletVersion version) {

    /** This picker without looking at L3 caches: what distribution over NUMA nodes uses inside each of them. */
    PackedCpuPicker withoutCaches() {
        return new PackedCpuPicker(topology, false, spread, version);
    }

    /** Takes {@code count} CPUs, or fewer where the kubelet counts some twice; {@code free} must hold as many. */
    CpuSet pick(CpuSet free, int count) {
        CpuAccumulator pool = new CpuAccumulator(topology, free, count, version);
        takeWholeItems(pool, pool.firstLevel());
        takeWholeItems(pool, pool.secondLevel());
        if (byCache) {
            takeByCache(pool);
        }
        if (!spread) {
            takeWholeItems(pool, Level.CORE);
        }
        takeSingleCpus(pool);
        return pool.taken();
    }

    private void takeWholeItems(CpuAccumulator pool, Level level) {
        if (pool.needed() < topology.smallest(level)) {
            return;
        }
        for (int item : pool.whollyFree(level)) {
            pool.takeWhole(topology.cpus(level, item));
        }
    }

    private void takeByCache(CpuAccumulator pool) {
        if (pool.isSatisfied()) {
            return;
        }
        List<Integer> caches = pool.ordered(Level.UNCORE_CACHE);
        if (version.takesWholeCachesFirst()) {
            caches.stream()
                    .filter(cache -> pool.isWhollyFree(Level.UNCORE_CACHE, cache))
                    .forEach(cache -> pool.takeWhole(topology.cpus(Level.UNCORE_CACHE, cache)));
        }
        for (int cache : caches) {
            if (!version.takesWholeCachesFirst() && pool.needed() >= topology.averageSize(Level.UNCORE_CACHE)) {
                takeWholeItems(pool, Level.UNCORE_CACHE);
            }
            if (!pool.isSatisfied()) {
                takePartOfCache(pool, cache);
            }
            if (pool.isSatisfied()) {
                return;
            }
        }
    }

    /** Takes the rest from one cache, if its first cores with free CPUs hold exactly the rest. */
    private void takePartOfCache(CpuAccumulator pool, int cache) {
        int perCore = topology.averageSize(Level.CORE);
        int cores = (pool.needed() + (version.roundsPartialCacheUp() ? perCore - 1 : 0)) / perCore;
        CpuSet cpus = topology.itemsOf(Level.CORE, pool.free(Level.UNCORE_CACHE, cache)).stream()
                .limit(cores)
                .map(core -> pool.free(Level.CORE, core))
                .reduce(CpuSet.EMPTY, CpuSet::union);
        boolean halfACore = version.roundsPartialCacheUp() && pool.needed() % 2 != 0 && perCore > 1;
        if (halfACore && cpus.size() > pool.needed()) {
            cpus = cpus.minus(CpuSet.of(cpus.ids().max().orElseThrow()));
        }
        if (cpus.size() == pool.needed()) {
            pool.take(cpus);
        }
    }

    /**
     * The list is made once. It names a CPU twice where its socket lies in several NUMA nodes, or its NUMA node in several sockets;
     * such a CPU then counts twice (takeRemainingCPUs).
     */
    private void takeSingleCpus(CpuAccumulator pool) {
        if (pool.isSatisfied()) {
            return;
        }
        Level groups = spread ? Level.SOCKET : Level.CORE;
        List<Integer> cpus = pool.ordered(groups).stream()
                .flatMap(group -> cpusInOrder(pool, groups, group))
                .toList();
        for (int cpu : cpus) {
            if (!pool.isSatisfied()) {
                pool.take(CpuSet.of(cpu));
            }
        }
    }

    private Stream<Integer> cpusInOrder(CpuAccumulator pool, Level level, int item) {
        return level == Level.SOCKET && version.takesCpusOfCoresInTurn()
                ? inTurn(pool.orderedCores(item).stream()
                        .map(core -> pool.free(Level.CORE, core).toArray())
                        .toList())
                : pool.free(level, item).ids().boxed();
    }

    /** The first of each list, then the second of each, and so on (sortAvailableCPUsSpread). */
    private static Stream<Integer> inTurn(List<int[]> cores) {
        int longest = cores.stream().mapToInt(cpus -> cpus.length).max().orElse(0);
        return IntStream.range(0, longest)
                .boxed()
                .flatMap(i -> cores.stream().filter(cpus -> i < cpus.length).map(cpus -> cpus[i]));
    }
}
