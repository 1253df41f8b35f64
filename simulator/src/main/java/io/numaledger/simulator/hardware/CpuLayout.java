package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;

import java.util.List;

/**
 * The CPUs of one NUMA node as they are numbered on a real machine.
 *
 * @param cores the hardware threads of each core, one or more
 * @param l3Caches the CPUs of each L3 cache; empty: all share one
 */
public record CpuLayout(List<CpuSet> cores, List<CpuSet> l3Caches) {

    public CpuLayout {
        cores = List.copyOf(cores);
        l3Caches = List.copyOf(l3Caches);
        CpuSet cpus = CpuSet.EMPTY;
        for (CpuSet core : cores) {
            if (core.isEmpty() || !core.intersect(cpus).isEmpty()) {
                throw new IllegalArgumentException(
                        "not the cores of a NUMA node: coreCpus=%s; expected each CPU once, and one or more in each core"
                                .formatted(cores));
            }
            cpus = cpus.union(core);
        }
        CpuSet cached = l3Caches.stream().reduce(CpuSet.EMPTY, CpuSet::union);
        if (!l3Caches.isEmpty()
                && (!cached.equals(cpus)
                        || l3Caches.stream().mapToInt(CpuSet::size).sum() != cpus.size())) {
            throw new IllegalArgumentException(
                    "not the L3 caches of a NUMA node: l3Caches=%s; expected each of its CPUs %s once"
                            .formatted(l3Caches, cpus));
        }
    }

    CpuSet cpus() {
        return cores.stream().reduce(CpuSet.EMPTY, CpuSet::union);
    }

    int threadsPerCore() {
        return cores.stream().mapToInt(CpuSet::size).max().orElse(1);
    }

    /** The CPUs that share an L3 cache with this one. */
    CpuSet l3Cache(int cpu) {
        return l3Caches.stream()
                .filter(cache -> cache.contains(cpu))
                .findFirst()
                .orElseGet(this::cpus);
    }
}
