package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiPredicate;

import static java.util.Objects.requireNonNull;

/**
 * Which NUMA node each CPU belongs to when several claim it, as wrong firmware tables make them: the one that the
 * CPU's own link {@code cpuN/nodeM} names, else the lowest.
 */
final class CpuClaims {

    private final SortedMap<Integer, CpuSet> claims;

    CpuClaims(SortedMap<Integer, CpuSet> claims) {
        this.claims = new TreeMap<>(claims);
    }

    /** The CPUs that more than one NUMA node claims. */
    CpuSet contested() {
        CpuSet once = CpuSet.EMPTY;
        CpuSet twice = CpuSet.EMPTY;
        for (CpuSet cpus : claims.values()) {
            twice = twice.union(once.intersect(cpus));
            once = once.union(cpus);
        }
        return twice;
    }

    /** The nodes that claim one of the CPUs, ascending. */
    List<Integer> claimants(CpuSet cpus) {
        return claims.keySet().stream()
                .filter(node ->
                        !requireNonNull(claims.get(node)).intersect(cpus).isEmpty())
                .toList();
    }

    /**
     * Node → its CPUs, with each CPU at one node.
     *
     * @param linked whether a CPU (first) has a link to a NUMA node (second)
     */
    SortedMap<Integer, CpuSet> settled(BiPredicate<Integer, Integer> linked) {
        CpuSet contested = contested();
        SortedMap<Integer, CpuSet> settled = new TreeMap<>();
        claims.forEach((node, cpus) -> settled.put(node, cpus.minus(contested)));
        for (int cpu : contested.toArray()) {
            settled.merge(owner(cpu, linked), CpuSet.of(cpu), CpuSet::union);
        }
        return settled;
    }

    private int owner(int cpu, BiPredicate<Integer, Integer> linked) {
        List<Integer> claimants = claimants(CpuSet.of(cpu));
        List<Integer> named =
                claimants.stream().filter(node -> linked.test(cpu, node)).toList();
        return named.size() == 1 ? named.get(0) : claimants.get(0);
    }
}
