package io.numaledger.bridge.node;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.node.Assumption.Kind;
import io.numaledger.kubelet.Machine;
import io.numaledger.nrt.CpuGroups;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.ZoneAttributes;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * The machine behind a NodeResourceTopology: as it is where the numaledger profile tells it, else one of the same sizes with
 * CPU ids of our own. Where nobody shows a reservation, one CPU outside all zones and one byte a zone stand for it: no kubelet
 * starts without.
 */
final class MachineReader {

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final String HUGEPAGES = "hugepages-";

    /** The CPU that stands for reservations that nobody shows; real zones have it only where they are published. */
    static final int STAND_IN = 0;

    private final NodeTopology topology;
    private final SortedSet<Assumption> assumptions;
    private final SortedMap<Integer, Zone> zones;
    private final List<NumaNode> numaNodes = new ArrayList<>();
    private final List<LogicalCpu> cpus = new ArrayList<>();
    private CpuSet online = CpuSet.EMPTY;
    private CpuSet reserved = CpuSet.EMPTY;

    MachineReader(NodeTopology topology, SortedSet<Assumption> assumptions) {
        this.topology = topology;
        this.assumptions = assumptions;
        this.zones = topology.numaZones();
    }

    /**
     * The machine and its reserved CPUs.
     *
     * @param reservedCpus never empty, since no kubelet's static policy starts without
     */
    record Read(Machine machine, CpuSet reservedCpus) {}

    Read read(NodeFacts node, SortedSet<String> ignoreList) {
        int next = STAND_IN + 1;
        for (var zone : zones.entrySet()) {
            next = addZone(zone.getKey(), zone.getValue(), next);
        }
        if (reserved.isEmpty() && !online.contains(STAND_IN)) {
            reserved = CpuSet.of(STAND_IN);
            online = online.union(reserved);
        }
        var devices = new DeviceReader(topology, assumptions).read(node, ignoreList);
        return new Read(new Machine(new MachineTopology(online, numaNodes, cpus), devices), reserved);
    }

    private int addZone(int id, Zone zone, int next) {
        String published = zone.attributes().get(ZoneAttributes.CPUS);
        CpuSet own;
        int after = next;
        if (published != null) {
            own = CpuSet.parse(published);
            reserved = reserved.union(CpuSet.parse(zone.attributes().getOrDefault(ZoneAttributes.RESERVED_CPUS, "")));
        } else {
            ZoneResource resource = zone.resources().getOrDefault(CPU, new ZoneResource(0, 0, 0));
            int count = Math.toIntExact(resource.capacity() / 1000);
            own = count == 0 ? CpuSet.EMPTY : CpuSet.range(next, next + count - 1);
            int held = Math.toIntExact((resource.capacity() - resource.allocatable()) / 1000);
            reserved = held > 0 ? reserved.union(CpuSet.range(next, next + held - 1)) : reserved;
            after = next + count;
        }
        online = online.union(own);
        addCpus(id, zone, own);
        numaNodes.add(new NumaNode(id, own, memory(zone), hugepages(zone), distances(zone)));
        return after;
    }

    private void addCpus(int id, Zone zone, CpuSet own) {
        var attributes = zone.attributes();
        if (own.isEmpty()) {
            return;
        }
        if (!attributes.containsKey(ZoneAttributes.CORES) || !attributes.containsKey(ZoneAttributes.SOCKETS)) {
            assumptions.add(Assumption.of(Kind.CORE_SHAPE));
            own.ids().forEach(cpu -> cpus.add(new LogicalCpu(cpu, OptionalInt.of(id), cpu, OptionalInt.empty())));
            return;
        }
        SortedMap<Integer, Integer> cores = byCpu(attributes.get(ZoneAttributes.CORES));
        SortedMap<Integer, Integer> sockets = byCpu(attributes.get(ZoneAttributes.SOCKETS));
        SortedMap<Integer, Integer> caches = byCpu(attributes.getOrDefault(ZoneAttributes.L3_CACHES, ""));
        own.ids()
                .forEach(cpu -> cpus.add(new LogicalCpu(
                        cpu,
                        OptionalInt.of(sockets.getOrDefault(cpu, id)),
                        cores.getOrDefault(cpu, cpu),
                        caches.containsKey(cpu) ? OptionalInt.of(caches.get(cpu)) : OptionalInt.empty())));
    }

    private static SortedMap<Integer, Integer> byCpu(String groups) {
        TreeMap<Integer, Integer> byCpu = new TreeMap<>();
        CpuGroups.read(groups).forEach((group, set) -> set.ids().forEach(cpu -> byCpu.put(cpu, group)));
        return byCpu;
    }

    private static OptionalLong memory(Zone zone) {
        String published = zone.attributes().get(ZoneAttributes.MEMORY_BYTES);
        if (published != null) {
            return OptionalLong.of(Long.parseLong(published));
        }
        ZoneResource resource = zone.resources().get(MEMORY);
        return resource == null ? OptionalLong.empty() : OptionalLong.of(resource.capacity() + 1);
    }

    /** A size that any zone has, all zones have, if none of it: the kernel shows sizes, exporters only amounts. */
    private SortedMap<Long, Long> hugepages(Zone zone) {
        SortedMap<Long, Long> pages = new TreeMap<>();
        zones.values()
                .forEach(any -> any.resources().keySet().stream()
                        .filter(name -> name.startsWith(HUGEPAGES))
                        .forEach(name -> put(pages, name, 0)));
        zone.resources().forEach((name, resource) -> {
            if (name.startsWith(HUGEPAGES)) {
                put(pages, name, resource.capacity());
            }
        });
        zone.attributes().forEach((name, bytes) -> {
            if (name.startsWith(HUGEPAGES)) {
                put(pages, name, Long.parseLong(bytes));
            }
        });
        return pages;
    }

    private static void put(SortedMap<Long, Long> pages, String name, long bytes) {
        long pageBytes =
                RequestedAmount.parse(name.substring(HUGEPAGES.length())).whole();
        pages.put(pageBytes, bytes / pageBytes);
    }

    private SortedMap<Integer, Integer> distances(Zone zone) {
        TreeMap<Integer, Integer> distances = new TreeMap<>();
        zone.costs()
                .forEach((name, cost) -> Zone.numaNode(name)
                        .filter(id -> zones.containsKey(id))
                        .ifPresent(id -> distances.put(id, Math.toIntExact(cost))));
        return distances;
    }
}
