package io.numaledger.nrt;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.SharedCpus;
import io.numaledger.resource.Hugepages;
import io.numaledger.resource.Saturating;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** From facts about one node to its NodeResourceTopology. The same facts give the same object, to the byte. */
public final class TopologyAssembler {

    private final MachineTopology machine;
    private final KubeletSettings kubelet;
    private Optional<EmptyZones> emptyZones = Optional.empty();

    /** What of the zones does not change while pods come and go. */
    private record EmptyZones(Optional<CpuSet> reserved, List<Zone> zones) {}

    public TopologyAssembler(MachineTopology machine, KubeletSettings kubelet) {
        this.machine = machine;
        this.kubelet = kubelet;
    }

    public KubeletSettings kubelet() {
        return kubelet;
    }

    /** Whether this assembles objects of the machine and the settings. */
    public boolean isOf(MachineTopology otherMachine, KubeletSettings otherKubelet) {
        return machine.equals(otherMachine) && kubelet.equals(otherKubelet);
    }

    /** The topology while the kubelet does not answer: zones with their sizes as attributes, and no resources. */
    public NodeTopology withoutKubelet(String node, Optional<NodeTopology.Owner> owner) {
        return topology(node, owner, new TreeMap<>(), Optional.empty(), new TreeMap<>());
    }

    /**
     * The whole object.
     *
     * @param unheld see {@link TopologyAttributes#UNHELD_CPUS}
     * @param pods what running pods hold, one entry a pod
     * @param placements their placements, in the same order; may also contain pods that the kubelet does not list at the moment
     */
    public NodeTopology assemble(
            String node,
            Optional<NodeTopology.Owner> owner,
            AllocatableResources allocatable,
            CpuSet unheld,
            Collection<PodAllocation> pods,
            Collection<Placement> placements) {
        SortedMap<Integer, TreeMap<String, ZoneResource>> resources = new TreeMap<>();
        machine.numaNodes().forEach(numaNode -> resources.put(numaNode.id(), new TreeMap<>()));
        Placement held = held(placements);
        addCpus(allocatable, unheld, pods, held, resources);
        addMemory(allocatable, held, resources);
        NodeDevices devices = new NodeDevices(resources.keySet(), allocatable, pods);
        devices.amounts(held)
                .forEach((id, amounts) -> requireNonNull(resources.get(id)).putAll(amounts));
        Optional<CpuSet> reserved = cpuManagerOn(allocatable)
                ? Optional.of(machine.onlineCpus().minus(allocatable.cpus()))
                : Optional.empty();
        SortedMap<String, String> attributes = attributes(devices);
        CpuSet offline = offlineCpus(allocatable, pods);
        if (!offline.isEmpty()) {
            attributes.put(TopologyAttributes.OFFLINE_CPUS, offline.toString());
        }
        if (!unheld.isEmpty()) {
            attributes.put(TopologyAttributes.UNHELD_CPUS, unheld.toString());
        }
        return topology(node, owner, resources, reserved, attributes);
    }

    /** Assembles the topology where the kubelet keeps no CPUs from all pods. */
    public NodeTopology assemble(
            String node,
            Optional<NodeTopology.Owner> owner,
            AllocatableResources allocatable,
            Collection<PodAllocation> pods,
            Collection<Placement> placements) {
        return assemble(node, owner, allocatable, CpuSet.EMPTY, pods, placements);
    }

    /** The CPUs that are offline; none where it is not known which CPUs are online. */
    private CpuSet offlineCpus(AllocatableResources allocatable, Collection<PodAllocation> pods) {
        if (machine.onlineCpus().isEmpty()) {
            return CpuSet.EMPTY;
        }
        CpuSet usable = allocatable.cpus();
        for (PodAllocation pod : pods) {
            usable = usable.union(pod.allCpus());
        }
        return usable.minus(machine.onlineCpus());
    }

    private static SortedMap<String, String> attributes(NodeDevices devices) {
        TreeMap<String, String> attributes = new TreeMap<>();
        List<DeviceGroup> groups = devices.beyondOneZone();
        if (!groups.isEmpty()) {
            attributes.put(TopologyAttributes.DEVICES_BEYOND_ONE_ZONE, DeviceGroup.write(groups));
        }
        devices.unhealthy().text().ifPresent(text -> attributes.put(TopologyAttributes.UNHEALTHY_DEVICES, text));
        return attributes;
    }

    private static Placement held(Collection<Placement> placements) {
        Placement.Builder sum = new Placement.Builder();
        placements.forEach(sum::add);
        return sum.build();
    }

    /** The kubelet may give a CPU to two pods, or a reserved one to a pod, see {@link SharedCpus}: available are those that nobody holds. */
    private void addCpus(
            AllocatableResources allocatable,
            CpuSet unheld,
            Collection<PodAllocation> pods,
            Placement held,
            SortedMap<Integer, TreeMap<String, ZoneResource>> into) {
        if (!cpuManagerOn(allocatable)) {
            return;
        }
        CpuSet taken = CpuSet.EMPTY;
        List<CpuSet> takenAgain = new ArrayList<>();
        for (PodAllocation pod : pods) {
            CpuSet cpus = pod.allCpus();
            takenAgain.add(taken.intersect(cpus));
            taken = taken.union(cpus);
        }
        takenAgain.removeIf(CpuSet::isEmpty);
        for (NumaNode numaNode : machine.numaNodes()) {
            CpuSet usable = numaNode.cpus().intersect(allocatable.cpus());
            int listed = taken.intersect(numaNode.cpus()).size();
            for (CpuSet cpus : takenAgain) {
                listed += cpus.intersect(numaNode.cpus()).size();
            }
            long unlisted =
                    Math.max(0, Saturating.subtract(held.on(numaNode.id()).get(Amounts.CPU), listed * 1000L));
            if (!numaNode.cpus().isEmpty()) {
                requireNonNull(into.get(numaNode.id()))
                        .put(
                                Amounts.CPU,
                                new ZoneResource(
                                        numaNode.cpus().size() * 1000L,
                                        usable.size() * 1000L,
                                        Math.max(
                                                0,
                                                usable.minus(taken)
                                                                        .minus(unheld)
                                                                        .size()
                                                                * 1000L
                                                        - unlisted)));
            }
        }
    }

    private boolean cpuManagerOn(AllocatableResources allocatable) {
        return kubelet.cpuManagerPolicy()
                .map(CpuPolicy.STATIC::equals)
                .orElse(!allocatable.cpus().isEmpty());
    }

    private void addMemory(
            AllocatableResources allocatable, Placement held, SortedMap<Integer, TreeMap<String, ZoneResource>> into) {
        if (!kubelet.memoryManagerPolicy().map(MemoryPolicy.STATIC::equals).orElse(true)) {
            return;
        }
        for (MemoryBlock block : allocatable.memory()) {
            for (int id : block.numaNodes()) {
                machine.numaNode(id).ifPresent(numaNode -> {
                    long capacity = capacity(numaNode, block.type()).orElse(block.sizeBytes());
                    put(id, block.type(), capacity, block.sizeBytes(), held, into);
                });
            }
        }
    }

    private static Optional<Long> capacity(NumaNode numaNode, String type) {
        if (type.equals("memory")) {
            return numaNode.memoryBytes().isPresent()
                    ? Optional.of(numaNode.memoryBytes().getAsLong())
                    : Optional.empty();
        }
        return numaNode.hugepages().entrySet().stream()
                .filter(pages -> Hugepages.resource(pages.getKey()).equals(type))
                .map(pages -> Saturating.multiply(pages.getKey(), pages.getValue()))
                .findFirst();
    }

    private static void put(
            int numaNode,
            String resource,
            long capacity,
            long allocatable,
            Placement held,
            SortedMap<Integer, TreeMap<String, ZoneResource>> into) {
        long total = Math.max(capacity, allocatable);
        if (total > 0) {
            long available = Math.max(
                    0, Saturating.subtract(allocatable, held.on(numaNode).get(resource)));
            requireNonNull(into.get(numaNode)).put(resource, new ZoneResource(total, allocatable, available));
        }
    }

    private NodeTopology topology(
            String node,
            Optional<NodeTopology.Owner> owner,
            SortedMap<Integer, TreeMap<String, ZoneResource>> resources,
            Optional<CpuSet> reserved,
            SortedMap<String, String> devices) {
        List<Zone> zones = new ArrayList<>();
        List<Zone> empty = emptyZones(reserved);
        for (int i = 0; i < empty.size(); i++) {
            Zone zone = empty.get(i);
            zones.add(new Zone(
                    zone.name(),
                    zone.type(),
                    zone.costs(),
                    zone.attributes(),
                    resources.getOrDefault(machine.numaNodes().get(i).id(), new TreeMap<>())));
        }
        TreeMap<String, String> attributes = new TreeMap<>(TopologyAttributes.of(kubelet));
        attributes.putAll(devices);
        return new NodeTopology(node, owner, attributes, zones);
    }

    private List<Zone> emptyZones(Optional<CpuSet> reserved) {
        if (emptyZones.filter(zones -> zones.reserved().equals(reserved)).isEmpty()) {
            List<Zone> zones = new ArrayList<>();
            for (NumaNode numaNode : machine.numaNodes()) {
                TreeMap<String, Long> costs = new TreeMap<>();
                numaNode.distances().forEach((id, distance) -> costs.put(ZoneName.of(id), (long) distance));
                SortedMap<String, String> attributes = ZoneShape.attributes(machine, numaNode, reserved);
                zones.add(new Zone(numaNode.zoneName(), Zone.TYPE_NODE, costs, attributes, new TreeMap<>()));
            }
            emptyZones = Optional.of(new EmptyZones(reserved, zones));
        }
        return emptyZones.orElseThrow().zones();
    }
}
