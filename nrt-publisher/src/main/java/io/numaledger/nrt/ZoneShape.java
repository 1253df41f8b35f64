package io.numaledger.nrt;

import io.numaledger.resource.Hugepages;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToIntFunction;

/** The attributes of a zone that describe its hardware. Unknown values are left out. */
final class ZoneShape {

    private ZoneShape() {}

    static SortedMap<String, String> attributes(MachineTopology machine, NumaNode numaNode, Optional<CpuSet> reserved) {
        TreeMap<String, String> attributes = new TreeMap<>();
        attributes.put(ZoneAttributes.CPUS, numaNode.cpus().toString());
        numaNode.memoryBytes().ifPresent(bytes -> attributes.put(ZoneAttributes.MEMORY_BYTES, Long.toString(bytes)));
        numaNode.hugepages()
                .forEach((size, pages) -> attributes.put(Hugepages.resource(size), Long.toString(size * pages)));
        reserved.map(numaNode.cpus()::intersect)
                .ifPresent(cpus -> attributes.put(ZoneAttributes.RESERVED_CPUS, cpus.toString()));
        addGroups(machine, numaNode, attributes);
        return attributes;
    }

    private static void addGroups(MachineTopology machine, NumaNode numaNode, SortedMap<String, String> attributes) {
        List<LogicalCpu> cpus = machine.cpus().stream()
                .filter(cpu -> numaNode.cpus().contains(cpu.id()))
                .toList();
        if (cpus.isEmpty() || cpus.size() < numaNode.cpus().size()) {
            return;
        }
        attributes.put(ZoneAttributes.CORES, groups(cpus, LogicalCpu::core));
        if (cpus.stream().allMatch(cpu -> cpu.socket().isPresent())) {
            attributes.put(
                    ZoneAttributes.SOCKETS, groups(cpus, cpu -> cpu.socket().getAsInt()));
        }
        List<LogicalCpu> cached =
                cpus.stream().filter(cpu -> cpu.l3Cache().isPresent()).toList();
        if (!cached.isEmpty()) {
            attributes.put(
                    ZoneAttributes.L3_CACHES,
                    groups(cached, cpu -> cpu.l3Cache().getAsInt()));
        }
    }

    private static String groups(List<LogicalCpu> cpus, ToIntFunction<LogicalCpu> group) {
        TreeMap<Integer, List<Integer>> ids = new TreeMap<>();
        cpus.forEach(cpu -> ids.computeIfAbsent(group.applyAsInt(cpu), any -> new ArrayList<>())
                .add(cpu.id()));
        TreeMap<Integer, CpuSet> groups = new TreeMap<>();
        ids.forEach((id, members) -> groups.put(id, CpuSet.of(members)));
        return CpuGroups.write(groups);
    }
}
