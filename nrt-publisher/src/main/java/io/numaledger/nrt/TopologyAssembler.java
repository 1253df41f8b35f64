package io.numaledger.nrt;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.resource.Hugepages;
import io.numaledger.resource.Saturating;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;

/** From facts about one node to its NodeResourceTopology. The same facts give the same object, to the byte. */
public final class TopologyAssembler {

    private final MachineTopology machine;
    private final KubeletSettings kubelet;

    public TopologyAssembler(MachineTopology machine, KubeletSettings kubelet) {
        this.machine = machine;
        this.kubelet = kubelet;
    }

    /** While the kubelet does not answer: zones with their sizes as attributes, and no resources. */
    public NodeTopology withoutKubelet(String node, Optional<NodeTopology.Owner> owner) {
        return topology(node, owner, new TreeMap<>(), Optional.empty(), List.of());
    }

    /**
     * The whole object.
     *
     * @param pods what running pods hold, one entry a pod
     * @param placements their placements, in the same order; may also contain pods that the kubelet does not list at the moment
     */
    public NodeTopology assemble(
            String node,
            Optional<NodeTopology.Owner> owner,
            AllocatableResources allocatable,
            Collection<PodAllocation> pods,
            Collection<Placement> placements) {
        SortedMap<Integer, TreeMap<String, ZoneResource>> resources = new TreeMap<>();
        machine.numaNodes().forEach(numaNode -> resources.put(numaNode.id(), new TreeMap<>()));
        Placement held = held(placements);
        addCpus(allocatable, held, resources);
        addMemory(allocatable, held, resources);
        addDevices(allocatable, pods, held, resources);
        Optional<CpuSet> reserved = cpuManagerOn(allocatable)
                ? Optional.of(machine.onlineCpus().minus(allocatable.cpus()))
                : Optional.empty();
        return topology(node, owner, resources, reserved, beyondOneZone(allocatable, heldDevices(pods)));
    }

    private static Placement held(Collection<Placement> placements) {
        Placement.Builder sum = new Placement.Builder();
        placements.forEach(sum::add);
        return sum.build();
    }

    private void addCpus(
            AllocatableResources allocatable, Placement held, SortedMap<Integer, TreeMap<String, ZoneResource>> into) {
        if (!cpuManagerOn(allocatable)) {
            return;
        }
        for (NumaNode numaNode : machine.numaNodes()) {
            CpuSet usable = numaNode.cpus().intersect(allocatable.cpus());
            put(numaNode.id(), Amounts.CPU, numaNode.cpus().size() * 1000L, usable.size() * 1000L, held, into);
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

    /** A device that is held and no longer healthy counts as capacity alone. */
    private void addDevices(
            AllocatableResources allocatable,
            Collection<PodAllocation> pods,
            Placement held,
            SortedMap<Integer, TreeMap<String, ZoneResource>> into) {
        Set<DeviceAllocation> heldDevices = heldDevices(pods);
        Set<DeviceAllocation> healthy = new HashSet<>(allocatable.devices());
        TreeSet<DeviceAllocation> all = new TreeSet<>(healthy);
        all.addAll(heldDevices);
        SortedMap<Integer, TreeMap<String, long[]>> counts = new TreeMap<>();
        Placement.Builder listed = new Placement.Builder();
        for (DeviceAllocation device : all) {
            for (int id : device.numaNodes()) {
                if (into.containsKey(id)) {
                    long[] count = counts.computeIfAbsent(id, any -> new TreeMap<>())
                            .computeIfAbsent(device.resource(), any -> new long[3]);
                    count[0]++;
                    count[1] += healthy.contains(device) ? 1 : 0;
                    count[2] += healthy.contains(device) && !heldDevices.contains(device) ? 1 : 0;
                    if (heldDevices.contains(device)) {
                        listed.add(id, device.resource(), 1);
                    }
                }
            }
        }
        Placement listedHeld = listed.build();
        counts.forEach((id, byResource) -> byResource.forEach((resource, count) -> {
            long unlisted = Math.max(
                    0,
                    Saturating.subtract(
                            held.on(id).get(resource), listedHeld.on(id).get(resource)));
            requireNonNull(into.get(id))
                    .put(resource, new ZoneResource(count[0], count[1], Math.max(0, count[2] - unlisted)));
        }));
    }

    private static Set<DeviceAllocation> heldDevices(Collection<PodAllocation> pods) {
        Set<DeviceAllocation> held = new HashSet<>();
        for (PodAllocation pod : pods) {
            for (ContainerAllocation container : pod.containers()) {
                held.addAll(container.devices());
            }
        }
        return held;
    }

    private static List<DeviceGroup> beyondOneZone(AllocatableResources allocatable, Set<DeviceAllocation> held) {
        Set<DeviceAllocation> healthy = new HashSet<>(allocatable.devices());
        TreeSet<DeviceAllocation> all = new TreeSet<>(healthy);
        all.addAll(held);
        SortedMap<String, DeviceGroup> groups = new TreeMap<>();
        for (DeviceAllocation device : all) {
            if (device.numaNodes().size() != 1) {
                int usable = healthy.contains(device) ? 1 : 0;
                groups.merge(
                        device.resource() + "@" + device.numaNodes(),
                        new DeviceGroup(device.resource(), device.numaNodes(), usable, 1),
                        (a, b) -> new DeviceGroup(
                                a.resource(),
                                a.numaNodes(),
                                a.allocatable() + b.allocatable(),
                                a.capacity() + b.capacity()));
            }
        }
        return List.copyOf(groups.values());
    }

    private NodeTopology topology(
            String node,
            Optional<NodeTopology.Owner> owner,
            SortedMap<Integer, TreeMap<String, ZoneResource>> resources,
            Optional<CpuSet> reserved,
            List<DeviceGroup> groups) {
        List<Zone> zones = new ArrayList<>();
        for (NumaNode numaNode : machine.numaNodes()) {
            TreeMap<String, Long> costs = new TreeMap<>();
            numaNode.distances().forEach((id, distance) -> costs.put(ZoneName.of(id), (long) distance));
            zones.add(new Zone(
                    numaNode.zoneName(),
                    Zone.TYPE_NODE,
                    costs,
                    ZoneShape.attributes(machine, numaNode, reserved),
                    resources.getOrDefault(numaNode.id(), new TreeMap<>())));
        }
        TreeMap<String, String> attributes = new TreeMap<>(TopologyAttributes.of(kubelet));
        if (!groups.isEmpty()) {
            attributes.put(TopologyAttributes.DEVICES_BEYOND_ONE_ZONE, DeviceGroup.write(groups));
        }
        return new NodeTopology(node, owner, attributes, zones);
    }
}
