package io.numaledger.nrt;

import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.resource.Saturating;

import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The devices of one node: those that the kubelet reports as healthy, and those that pods hold, compared by resource and id. A held
 * device that is not among the healthy ones has failed, or its plugin lists it no more: the kubelet does not report which.
 */
final class NodeDevices {

    private final Set<Integer> numaNodes;
    private final TreeSet<DeviceAllocation> healthy;
    private final TreeSet<DeviceAllocation> held = new TreeSet<>();
    private final TreeSet<DeviceAllocation> all;

    /** @param numaNodes those of the machine */
    NodeDevices(Set<Integer> numaNodes, AllocatableResources allocatable, Collection<PodAllocation> pods) {
        this.numaNodes = numaNodes;
        this.healthy = new TreeSet<>(allocatable.devices());
        for (PodAllocation pod : pods) {
            for (ContainerAllocation container : pod.containers()) {
                held.addAll(container.devices());
            }
        }
        // A healthy device lies where its plugin says now, and not where it was when a pod got it.
        this.all = new TreeSet<>(healthy);
        all.addAll(held);
    }

    /**
     * NUMA node → resource → amounts. A device that is held and not healthy counts as capacity alone.
     *
     * @param placements by NUMA node, also of pods that the kubelet does not list at the moment
     */
    SortedMap<Integer, TreeMap<String, ZoneResource>> amounts(Placement placements) {
        SortedMap<Integer, TreeMap<String, long[]>> counts = new TreeMap<>();
        for (DeviceAllocation device : all) {
            for (int id : device.numaNodes()) {
                if (numaNodes.contains(id)) {
                    long[] count = counts.computeIfAbsent(id, any -> new TreeMap<>())
                            .computeIfAbsent(device.resource(), any -> new long[3]);
                    count[0]++;
                    count[1] += healthy.contains(device) ? 1 : 0;
                    count[2] += healthy.contains(device) && !held.contains(device) ? 1 : 0;
                }
            }
        }
        Placement listed = listedHeld();
        SortedMap<Integer, TreeMap<String, ZoneResource>> amounts = new TreeMap<>();
        counts.forEach((id, byResource) -> byResource.forEach((resource, count) -> {
            long unlisted = Math.max(
                    0,
                    Saturating.subtract(
                            placements.on(id).get(resource), listed.on(id).get(resource)));
            amounts.computeIfAbsent(id, any -> new TreeMap<>())
                    .put(resource, new ZoneResource(count[0], count[1], Math.max(0, count[2] - unlisted)));
        }));
        return amounts;
    }

    private Placement listedHeld() {
        Placement.Builder listed = new Placement.Builder();
        held.forEach(device -> device.numaNodes().stream()
                .filter(numaNodes::contains)
                .forEach(id -> listed.add(id, device.resource(), 1)));
        return listed.build();
    }

    /** The devices that are not in exactly one zone. */
    List<DeviceGroup> beyondOneZone() {
        SortedMap<String, DeviceGroup> groups = new TreeMap<>();
        for (DeviceAllocation device : all) {
            boolean impossible =
                    !device.numaNodes().isEmpty() && device.numaNodes().stream().noneMatch(numaNodes::contains);
            if (impossible || device.numaNodes().size() != 1) {
                int usable = healthy.contains(device) ? 1 : 0;
                DeviceGroup group = impossible
                        ? DeviceGroup.impossible(device.resource(), usable, 1)
                        : new DeviceGroup(device.resource(), device.numaNodes(), usable, 1);
                groups.merge(
                        device.resource() + "@" + (impossible ? "!" : group.numaNodes()), group, DeviceGroup::plus);
            }
        }
        return List.copyOf(groups.values());
    }

    /** The devices that pods hold although they are not healthy. */
    UnhealthyDevices unhealthy() {
        TreeSet<DeviceAllocation> unhealthy = new TreeSet<>(held);
        unhealthy.removeAll(healthy);
        return UnhealthyDevices.of(unhealthy);
    }
}
