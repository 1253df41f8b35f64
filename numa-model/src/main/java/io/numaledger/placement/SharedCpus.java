package io.numaledger.placement;

import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * CPUs that a kubelet gave to two pods, or to one although they are reserved. It does so where cores or sockets have unequal numbers of
 * CPUs, such as with a sibling thread offline: it takes one with as many free CPUs as the average has for free, and gives all of it
 * (cm/cpumanager/cpu_assignment.go, isCoreFree, isSocketFree; kubernetes #124066).
 */
public final class SharedCpus {

    /**
     * One CPU that a kubelet gave to two pods, or to one although it is reserved.
     *
     * @param pods the keys of its holders, at least two, or one of a reserved CPU
     */
    public record SharedCpu(int cpu, SortedSet<String> pods, boolean reserved) {

        /** Such as {@code cpu=2 pods=default/a,default/b}, or {@code cpu=1 pods=default/a reserved=true}. */
        @Override
        public String toString() {
            return "cpu=%d pods=%s%s".formatted(cpu, String.join(",", pods), reserved ? " reserved=true" : "");
        }
    }

    private SharedCpus() {}

    /**
     * Finds them, by id.
     *
     * @param pods what each pod holds
     * @param reserved the CPUs of {@code reservedSystemCPUs}; empty where that is not known
     */
    public static List<SharedCpu> of(Collection<PodAllocation> pods, CpuSet reserved) {
        TreeMap<Integer, SortedSet<String>> holders = new TreeMap<>();
        for (PodAllocation pod : pods) {
            pod.allCpus()
                    .ids()
                    .forEach(cpu ->
                            holders.computeIfAbsent(cpu, any -> new TreeSet<>()).add(pod.key()));
        }
        List<SharedCpu> shared = new ArrayList<>();
        holders.forEach((cpu, keys) -> {
            if (keys.size() > 1 || reserved.contains(cpu)) {
                shared.add(new SharedCpu(cpu, keys, reserved.contains(cpu)));
            }
        });
        return shared;
    }
}
