package io.numaledger.agent.exclude;

import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.placement.PodResourcesSnapshot;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What is not to be published of this node, and under which name devices are.
 *
 * @param resources neither in a zone nor in a pod's record: {@code cpu}, {@code memory}, {@code hugepages-<size>} or a device's
 *     resource, under the kubelet's name
 * @param pods neither annotated nor charged nor in the fingerprint
 * @param renamed a device's resource → its published name; resources under one name are counted together, as far as their
 *     devices' ids differ
 */
public record Exclusions(SortedSet<String> resources, List<PodPattern> pods, SortedMap<String, String> renamed) {

    public static final Exclusions NONE = new Exclusions(new TreeSet<>(), List.of(), new TreeMap<>());

    public Exclusions {
        resources = Collections.unmodifiableSortedSet(new TreeSet<>(resources));
        pods = List.copyOf(pods);
        renamed = Collections.unmodifiableSortedMap(new TreeMap<>(renamed));
        resources.forEach(name -> named("an excluded resource", name));
        renamed.forEach(Exclusions::device);
    }

    private static void named(String what, String name) {
        if (name.isBlank() || name.indexOf(' ') >= 0) {
            throw new IllegalArgumentException(
                    "%s is '%s'; expected a resource's name such as example.com/nic".formatted(what, name));
        }
    }

    private static void device(String from, String to) {
        for (String name : List.of(from, to)) {
            named("a renamed device", name);
            if (ResourceKind.of(name) != ResourceKind.DEVICE) {
                throw new IllegalArgumentException(
                        "'%s' cannot be renamed or be a new name; expected a device's resource such as example.com/nic"
                                .formatted(name));
            }
        }
    }

    /** What either of both excludes or renames; this one's names win. */
    public Exclusions and(Exclusions other) {
        TreeSet<String> allResources = new TreeSet<>(resources);
        allResources.addAll(other.resources);
        List<PodPattern> allPods = new ArrayList<>(pods);
        allPods.addAll(other.pods);
        TreeMap<String, String> allNames = new TreeMap<>(other.renamed);
        allNames.putAll(renamed);
        return new Exclusions(allResources, allPods, allNames);
    }

    public boolean excludesPod(String namespace, String name) {
        return !pods.isEmpty() && pods.stream().anyMatch(pattern -> pattern.matches(namespace, name));
    }

    /** The pods that count, with all that they hold. */
    public PodResourcesSnapshot withoutPods(PodResourcesSnapshot listed) {
        return pods.isEmpty()
                ? listed
                : new PodResourcesSnapshot(listed.pods().stream()
                        .filter(pod -> !excludesPod(pod.namespace(), pod.name()))
                        .toList());
    }

    /** What pods hold of the resources that count. */
    public PodResourcesSnapshot apply(PodResourcesSnapshot held) {
        return changesNoResource()
                ? held
                : new PodResourcesSnapshot(held.pods().stream().map(this::apply).toList());
    }

    private PodAllocation apply(PodAllocation pod) {
        return new PodAllocation(
                pod.namespace(),
                pod.name(),
                pod.containers().stream()
                        .map(container -> new ContainerAllocation(
                                container.name(),
                                apply(container.cpus()),
                                applyMemory(container.memory()),
                                applyDevices(container.devices())))
                        .toList(),
                apply(pod.cpus()),
                applyMemory(pod.memory()));
    }

    /** What may be given out of the resources that count; all CPUs, since the reserved ones follow from them. */
    public AllocatableResources apply(AllocatableResources may) {
        return changesNoResource()
                ? may
                : new AllocatableResources(may.cpus(), applyMemory(may.memory()), applyDevices(may.devices()));
    }

    /** The object without {@code cpu} in its zones if that is excluded: all else was left out before. */
    public NodeTopology apply(NodeTopology topology) {
        if (!resources.contains(Amounts.CPU)) {
            return topology;
        }
        List<Zone> zones = new ArrayList<>();
        for (Zone zone : topology.zones()) {
            TreeMap<String, ZoneResource> kept = new TreeMap<>(zone.resources());
            kept.remove(Amounts.CPU);
            zones.add(new Zone(zone.name(), zone.type(), zone.costs(), zone.attributes(), kept));
        }
        return topology.withZones(zones);
    }

    private boolean changesNoResource() {
        return resources.isEmpty() && renamed.isEmpty();
    }

    private CpuSet apply(CpuSet cpus) {
        return resources.contains(Amounts.CPU) ? CpuSet.EMPTY : cpus;
    }

    private List<MemoryBlock> applyMemory(List<MemoryBlock> blocks) {
        return blocks.stream()
                .filter(block -> !resources.contains(block.type()))
                .toList();
    }

    private List<DeviceAllocation> applyDevices(List<DeviceAllocation> devices) {
        return devices.stream()
                .filter(device -> !resources.contains(device.resource()))
                .map(device -> new DeviceAllocation(
                        renamed.getOrDefault(device.resource(), device.resource()),
                        device.deviceId(),
                        device.numaNodes()))
                .toList();
    }
}
