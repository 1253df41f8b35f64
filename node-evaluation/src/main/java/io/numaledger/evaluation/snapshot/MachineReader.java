package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.Machine;
import io.numaledger.nrt.CpuGroups;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.ZoneAttributes;
import io.numaledger.resource.Hugepages;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Reads the machine behind a NodeResourceTopology. With the attributes of the numaledger profile it is exact; otherwise it has the
 * published sizes and made-up CPU ids. Where no reservation is published, one CPU outside all zones and one byte per zone represent
 * it, because no kubelet starts without a reservation.
 */
final class MachineReader {

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";

    /** The CPU that represents an unpublished reservation. */
    static final int STAND_IN = 0;

    /** The most CPUs, as many as Linux can be built for. The model has an object for each CPU. */
    private static final int MOST_CPUS = 1 << 13;

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
     * @param reservedCpus never empty: the static policy does not start without reserved CPUs
     */
    record Read(Machine machine, CpuSet reservedCpus) {}

    Read read(NodeFacts node, SortedSet<String> ignoreList) {
        int next = STAND_IN + 1;
        if (zones.size() > AffinityMask.MAX_ID + 1) {
            throw new IllegalArgumentException("an impossible number of zones: count=%d".formatted(zones.size()));
        }
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
            requirePossible(own.size(), zone);
            reserved = reserved.union(CpuSet.parse(zone.attributes().getOrDefault(ZoneAttributes.RESERVED_CPUS, "")));
        } else {
            ZoneResource resource = zone.resources().getOrDefault(CPU, new ZoneResource(0, 0, 0));
            requirePossible(resource.capacity() / 1000, zone);
            int count = (int) (resource.capacity() / 1000);
            own = count == 0 ? CpuSet.EMPTY : CpuSet.range(next, next + count - 1);
            int held = (int) Math.max(0, Math.min(count, (resource.capacity() - resource.allocatable()) / 1000));
            reserved = held > 0 ? reserved.union(CpuSet.range(next, next + held - 1)) : reserved;
            after = next + count;
        }
        online = online.union(own);
        addCpus(id, zone, own);
        numaNodes.add(new NumaNode(id, own, memory(zone), hugepages(zone), distances(zone)));
        return after;
    }

    private void requirePossible(long more, Zone zone) {
        if (more > MOST_CPUS - cpus.size()) {
            throw new IllegalArgumentException(
                    "an impossible number of CPUs: zone=%s count=%d".formatted(zone.name(), more));
        }
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
        SortedMap<Integer, Integer> cores = byCpu(attributes.get(ZoneAttributes.CORES), own);
        SortedMap<Integer, Integer> sockets = byCpu(attributes.get(ZoneAttributes.SOCKETS), own);
        SortedMap<Integer, Integer> caches = byCpu(attributes.getOrDefault(ZoneAttributes.L3_CACHES, ""), own);
        own.ids()
                .forEach(cpu -> cpus.add(new LogicalCpu(
                        cpu,
                        OptionalInt.of(sockets.getOrDefault(cpu, id)),
                        cores.getOrDefault(cpu, cpu),
                        caches.containsKey(cpu) ? OptionalInt.of(caches.get(cpu)) : OptionalInt.empty())));
    }

    private static SortedMap<Integer, Integer> byCpu(String groups, CpuSet own) {
        TreeMap<Integer, Integer> byCpu = new TreeMap<>();
        CpuGroups.read(groups).forEach((group, set) -> set.intersect(own).ids().forEach(cpu -> byCpu.put(cpu, group)));
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

    /** All zones have all page sizes, maybe without pages: the kernel reports sizes, but exporters report amounts only. */
    private SortedMap<Long, Long> hugepages(Zone zone) {
        SortedMap<Long, Long> pages = new TreeMap<>();
        zones.values()
                .forEach(any -> any.resources().keySet().stream()
                        .filter(name -> Hugepages.isResource(name))
                        .forEach(name -> put(pages, name, 0)));
        zone.resources().forEach((name, resource) -> {
            if (Hugepages.isResource(name)) {
                put(pages, name, resource.capacity());
            }
        });
        zone.attributes().forEach((name, bytes) -> {
            if (Hugepages.isResource(name)) {
                put(pages, name, Long.parseLong(bytes));
            }
        });
        return pages;
    }

    private static void put(SortedMap<Long, Long> pages, String name, long bytes) {
        long pageBytes = Hugepages.pageBytes(name);
        pages.put(pageBytes, bytes / pageBytes);
    }

    private SortedMap<Integer, Integer> distances(Zone zone) {
        TreeMap<Integer, Integer> distances = new TreeMap<>();
        zone.costs()
                .forEach((name, cost) -> ZoneName.numaNode(name)
                        .filter(id -> zones.containsKey(id))
                        .ifPresent(id -> distances.put(id, Math.toIntExact(cost))));
        return distances;
    }
}
