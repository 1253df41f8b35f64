package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.device.Device;
import io.numaledger.nrt.DeviceGroup;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.UnhealthyDevices;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;

/**
 * Reads the devices behind the counts of a NodeResourceTopology. Their ids are made up, {@code mask#number}: to the kubelet,
 * devices of the same resource and the same NUMA nodes are equal.
 */
final class DeviceReader {

    /** The most devices of one resource, and of all resources together. The model has an object for each device. */
    private static final long MOST_DEVICES = 1 << 16;

    private static final List<Integer> IMPOSSIBLE = List.of(-1);

    private final NodeTopology topology;
    private final SortedSet<Assumption> assumptions;
    private final boolean groupsPublished;

    DeviceReader(NodeTopology topology, SortedSet<Assumption> assumptions) {
        this.topology = topology;
        this.assumptions = assumptions;
        this.groupsPublished = topology.attributes().containsKey(TopologyAttributes.CPU_POLICY);
    }

    /** NUMA nodes as a mask. All that are only on NUMA nodes that the machine lacks have the same mask, as the kubelet treats them alike. */
    static AffinityMask mask(Collection<Integer> numaNodes, Set<Integer> zones) {
        boolean impossible = !numaNodes.isEmpty() && numaNodes.stream().noneMatch(zones::contains);
        return Device.numaNodes(impossible ? IMPOSSIBLE : numaNodes, zones);
    }

    SortedMap<String, List<Device>> read(NodeFacts node, SortedSet<String> ignoreList) {
        SortedMap<String, SortedMap<Long, int[]>> counts = new TreeMap<>();
        Set<Integer> zones = topology.numaZones().keySet();
        for (DeviceGroup group : DeviceGroup.of(topology)) {
            AffinityMask mask = mask(group.impossible() ? IMPOSSIBLE : group.numaNodes(), zones);
            add(
                    counts,
                    group.resource(),
                    mask,
                    count(group.resource(), group.allocatable()),
                    count(group.resource(), group.capacity()));
        }
        SortedMap<String, SortedMap<Long, int[]>> several = copy(counts);
        for (var zone : topology.numaZones().entrySet()) {
            addZone(zone.getKey(), zone.getValue(), several, counts);
        }
        node.capacity().forEach((resource, all) -> {
            // Also where all is 0: the plugin lists no device, and the kubelet refuses even a request of 0.
            if (node.allocatable().getOrDefault(resource, 0L) == 0) {
                counts.computeIfAbsent(resource, any -> new TreeMap<>());
            }
        });
        counts.keySet().removeAll(ignoreList);
        node.capacity().keySet().stream()
                .filter(resource -> !counts.containsKey(resource) && !ignoreList.contains(resource))
                .forEach(resource -> assumptions.add(Assumption.of(Kind.NO_DEVICE_PLUGIN, "resource=" + resource)));
        counts.forEach((resource, masks) -> addHeld(node, resource, new UnhealthyHeld(masks)));
        counts.forEach((resource, masks) -> addUnzoned(node, resource, masks));
        requirePossible(counts);
        SortedMap<String, List<Device>> devices = new TreeMap<>();
        counts.forEach((resource, masks) -> devices.put(resource, devices(masks)));
        return devices;
    }

    private static void requirePossible(SortedMap<String, SortedMap<Long, int[]>> counts) {
        long all = 0;
        for (var resource : counts.entrySet()) {
            all += resource.getValue().values().stream()
                    .mapToLong(count -> count[1])
                    .sum();
            if (all > MOST_DEVICES) {
                throw new IllegalArgumentException("an impossible number of devices: resource=%s count=%d in all"
                        .formatted(resource.getKey(), all));
            }
        }
    }

    private static int count(String resource, long devices) {
        if (devices < 0 || devices > MOST_DEVICES) {
            throw new IllegalArgumentException(
                    "an impossible number of devices: resource=%s count=%d".formatted(resource, devices));
        }
        return (int) devices;
    }

    private static void add(
            SortedMap<String, SortedMap<Long, int[]>> counts,
            String resource,
            AffinityMask mask,
            int healthy,
            int all) {
        int[] count = counts.computeIfAbsent(resource, any -> new TreeMap<>())
                .computeIfAbsent(mask.bits(), any -> new int[2]);
        count[0] = count(resource, (long) count[0] + healthy);
        count[1] = count(resource, (long) count[1] + Math.max(healthy, all));
    }

    private static SortedMap<String, SortedMap<Long, int[]>> copy(SortedMap<String, SortedMap<Long, int[]>> counts) {
        SortedMap<String, SortedMap<Long, int[]>> copy = new TreeMap<>();
        counts.forEach((resource, masks) -> copy.put(resource, new TreeMap<>(masks)));
        return copy;
    }

    private void addZone(
            int id,
            Zone zone,
            SortedMap<String, SortedMap<Long, int[]>> several,
            SortedMap<String, SortedMap<Long, int[]>> counts) {
        zone.resources().forEach((resource, amounts) -> {
            if (ResourceKind.of(resource) == ResourceKind.DEVICE) {
                int healthy = count(resource, amounts.allocatable());
                int all = count(resource, amounts.capacity());
                for (var group : several.getOrDefault(resource, new TreeMap<>()).entrySet()) {
                    boolean here = new AffinityMask(group.getKey()).contains(id);
                    healthy -= here ? group.getValue()[0] : 0;
                    all -= here ? group.getValue()[1] : 0;
                }
                if (all > 0) {
                    add(counts, resource, AffinityMask.of(id), Math.max(0, healthy), all);
                }
            }
        });
    }

    private void addHeld(NodeFacts node, String resource, UnhealthyHeld held) {
        if (held.count() > 0) {
            Long listed = node.capacity().get(resource);
            boolean certain = held.forgetUnlisted(listed == null ? Integer.MAX_VALUE : count(resource, listed));
            if ((!certain && widthsDecide()) || UnhealthyDevices.of(topology).count(resource) < held.count()) {
                assumptions.add(Assumption.of(Kind.HELD_UNHEALTHY_DEVICES, "resource=" + resource));
            }
        }
    }

    /** Under single-numa-node, one NUMA node has enough free devices, and is then narrow enough, or none has. */
    private boolean widthsDecide() {
        return TopologyAttributes.read(topology.attributes())
                .topologyManagerPolicy()
                .filter(policy -> policy == TopologyPolicyName.RESTRICTED || policy == TopologyPolicyName.BEST_EFFORT)
                .isPresent();
    }

    /** Adds devices that the Node counts and no zone does: those without topology, and unhealthy ones. */
    private void addUnzoned(NodeFacts node, String resource, SortedMap<Long, int[]> masks) {
        if (!node.capacity().containsKey(resource)) {
            return;
        }
        int healthy = masks.values().stream().mapToInt(count -> count[0]).sum();
        int all = masks.values().stream().mapToInt(count -> count[1]).sum();
        int healthyOnNode = count(resource, node.allocatable().getOrDefault(resource, 0L));
        int allOnNode = count(resource, node.capacity().getOrDefault(resource, 0L));
        if (!groupsPublished && healthy > healthyOnNode) {
            assumptions.add(Assumption.of(Kind.DEVICE_ZONES, "resource=" + resource));
        }
        if (!groupsPublished && healthyOnNode > healthy) {
            int without = healthyOnNode - healthy;
            int[] count = masks.computeIfAbsent(AffinityMask.NONE.bits(), any -> new int[2]);
            count[0] += without;
            count[1] += without;
            all += without;
        }
        if (allOnNode > all) {
            masks.computeIfAbsent(AffinityMask.NONE.bits(), any -> new int[2])[1] += allOnNode - all;
            assumptions.add(
                    Assumption.of(Kind.UNHEALTHY_DEVICES, "resource=%s count=%d".formatted(resource, allOnNode - all)));
        }
    }

    private static List<Device> devices(SortedMap<Long, int[]> masks) {
        List<Device> devices = new ArrayList<>();
        masks.forEach((bits, count) -> {
            for (int i = 0; i < count[1]; i++) {
                devices.add(new Device("%x#%05d".formatted(bits, i), new AffinityMask(bits), i < count[0]));
            }
        });
        return devices;
    }
}
