package io.numaledger.nrt;

import io.numaledger.kubelet.config.CpuOption;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;
import io.numaledger.topology.CpuSet;

import java.util.Collections;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The most CPUs of its own that one container gets from each zone of a NodeResourceTopology: what is available, and under {@code
 * full-pcpus-only} only whole cores (cm/cpumanager/policy_static.go, Allocate).
 */
public final class LargestCpuRequests {

    /** The words for true, as Go writes them (strconv.ParseBool). */
    private static final Set<String> TRUE = Set.of("1", "t", "T", "true", "TRUE", "True");

    private LargestCpuRequests() {}

    /** Zone name → its largest CPU request; without zones of which it is not known. */
    public static SortedMap<String, Long> of(NodeTopology topology) {
        KubeletSettings kubelet = TopologyAttributes.read(topology.attributes());
        if (!kubelet.cpuManagerPolicy().equals(Optional.of(CpuPolicy.STATIC))) {
            return Collections.emptySortedMap();
        }
        SortedMap<String, Long> free = free(topology);
        String fullCores =
                kubelet.cpuManagerPolicyOptions().getOrDefault(CpuOption.FULL_PCPUS_ONLY.toString(), "false");
        return TRUE.contains(fullCores) ? inFullCores(free, topology) : free;
    }

    private static SortedMap<String, Long> free(NodeTopology topology) {
        SortedMap<String, Long> free = new TreeMap<>();
        topology.numaZones().values().forEach(zone -> {
            ZoneResource cpu = zone.resources().get(Amounts.CPU);
            if (cpu != null) {
                free.put(zone.name(), cpu.available() / 1000);
            }
        });
        return free;
    }

    /** The kubelet counts the free CPUs of the node in cores without a reserved CPU, and takes each core for an average one. */
    private static SortedMap<String, Long> inFullCores(SortedMap<String, Long> free, NodeTopology topology) {
        long cpus = 0;
        long cores = 0;
        long whole = 0;
        for (Zone zone : topology.numaZones().values()) {
            String groups = zone.attributes().get(ZoneAttributes.CORES);
            if (groups == null) {
                free.remove(zone.name());
                continue;
            }
            CpuSet reserved = CpuSet.parse(zone.attributes().getOrDefault(ZoneAttributes.RESERVED_CPUS, ""));
            whole += free.getOrDefault(zone.name(), 0L);
            for (CpuSet core : CpuGroups.read(groups).values()) {
                cores++;
                cpus += core.size();
                whole -= core.intersect(reserved).isEmpty()
                        ? 0
                        : core.minus(reserved).size();
            }
        }
        long perCore = Math.max(1, cpus / Math.max(1, cores));
        long most = Math.max(0, whole);
        free.replaceAll((zone, count) -> Math.min(count, most) / perCore * perCore);
        return free;
    }
}
