package io.numaledger.apiobjects.view;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciAddress;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.ZoneAttributes;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.ZoneName;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where the CPUs, memory and devices of one node are, and which of them each pod holds: too much for a list of nodes. A number that is not
 * published is left out.
 */
final class NodeDetails {

    private final NodeSnapshot node;
    private final ObjectNode json;

    private NodeDetails(NodeSnapshot node, ObjectNode json) {
        this.node = node;
        this.json = json;
    }

    /** @param json of the node, as {@link NodeJson} writes it for these names */
    static void add(NodeSnapshot node, PodNames names, ObjectNode json) {
        NodeDetails details = new NodeDetails(node, json);
        node.node().gpus().filter(gpus -> !gpus.gpus().isEmpty()).ifPresent(details::addGpus);
        details.addCpus();
        node.now().ifPresent(now -> {
            now.memory().ifPresent(details::addMemoryGroups);
            details.addDevices(now);
            details.addHoldings(now, names);
        });
    }

    private void addGpus(GpuTopology topology) {
        ObjectNode gpus = json.putObject("gpus").put("kind", topology.kind().text());
        ArrayNode devices = gpus.putArray("devices");
        for (Gpu gpu : topology.gpus()) {
            ObjectNode device = devices.addObject();
            gpu.uuid().ifPresent(uuid -> device.put("uuid", uuid));
            gpu.pciAddress().map(PciAddress::toString).ifPresent(bus -> device.put("bus", bus));
            gpu.numaNode().ifPresent(id -> device.put("zone", ZoneName.of(id)));
        }
        ArrayNode links = gpus.putArray("links");
        for (int row = 0; row < topology.gpus().size(); row++) {
            ArrayNode counts = links.addArray();
            for (int column = 0; column < topology.gpus().size(); column++) {
                counts.add(topology.links().links(row, column));
            }
        }
    }

    /** Whether the CPUs of all zones are published by their ids; otherwise the model's are made up. */
    private boolean namesCpus() {
        return zones().values().stream().allMatch(zone -> zone.attributes().containsKey(ZoneAttributes.CPUS));
    }

    private boolean namesCores(int numaNode) {
        return Optional.ofNullable(zones().get(numaNode))
                .filter(zone -> zone.attributes().containsKey(ZoneAttributes.CORES))
                .isPresent();
    }

    private SortedMap<Integer, Zone> zones() {
        return node.topology().map(NodeTopology::numaZones).orElseGet(TreeMap::new);
    }

    private void addCpus() {
        if (!namesCpus()) {
            return;
        }
        node.model().kubelet().ifPresent(kubelet -> {
            CpuSet reserved = kubelet.cpus().map(CpuAllocator::reserved).orElse(CpuSet.EMPTY);
            List<NumaNode> numaNodes = kubelet.machine().topology().numaNodes();
            for (int i = 0; i < numaNodes.size(); i++) {
                ObjectNode zone = (ObjectNode) json.path("zones").path(i);
                CpuSet cpus = numaNodes.get(i).cpus();
                zone.put("cpus", cpus.toString());
                zone.put("reservedCpus", reserved.intersect(cpus).toString());
                if (namesCores(numaNodes.get(i).id())) {
                    cores(cpus, kubelet.machine().topology().cpus()).forEach(zone.putArray("cores")::add);
                }
            }
        });
    }

    /** The CPUs of each core, such as {@code 0,4}. */
    private static Collection<String> cores(CpuSet among, List<LogicalCpu> cpus) {
        SortedMap<Integer, CpuSet> byCore = new TreeMap<>();
        cpus.stream()
                .filter(cpu -> among.contains(cpu.id()))
                .forEach(cpu -> byCore.merge(cpu.core(), CpuSet.of(cpu.id()), CpuSet::union));
        return byCore.values().stream().map(CpuSet::toString).toList();
    }

    /** The zones that blocks of memory tie together. */
    private void addMemoryGroups(MemoryState memory) {
        List<AffinityMask> groups = memory.nodes().values().stream()
                .filter(each -> each.assignments() > 0)
                .map(NumaMemory::cells)
                .filter(cells -> cells.count() > 1)
                .distinct()
                .toList();
        if (!groups.isEmpty()) {
            ArrayNode all = json.putArray("memoryGroups");
            groups.forEach(group -> ZoneName.of(group).forEach(all.addArray()::add));
        }
    }

    private void addDevices(NodeState now) {
        ArrayNode devices = PluginDevices.of(
                node.model().kubelet().orElseThrow(), now, node.afterReleases().orElseThrow());
        if (!devices.isEmpty()) {
            json.set("devices", devices);
        }
    }

    private void addHoldings(NodeState now, PodNames names) {
        Map<String, ObjectNode> shown = new HashMap<>();
        json.path("pods").forEach(pod -> shown.put(pod.path("pod").asText(), (ObjectNode) pod));
        CpuSet hidden = CpuSet.EMPTY;
        for (PodHolding held : node.pods()) {
            CpuSet cpus = namesCpus()
                    ? now.cpus().map(state -> state.heldBy(held.key())).orElse(CpuSet.EMPTY)
                    : CpuSet.EMPTY;
            if (names.shows(held.holder())) {
                Optional.ofNullable(shown.get(held.holder().toString()))
                        .ifPresent(pod -> addHolding(held, cpus, now, pod));
            } else {
                hidden = hidden.union(cpus);
            }
        }
        if (!hidden.isEmpty()) {
            ((ObjectNode) json.path("otherPods")).put("cpus", hidden.toString());
        }
    }

    private void addHolding(PodHolding held, CpuSet cpus, NodeState now, ObjectNode pod) {
        if (!cpus.isEmpty()) {
            pod.put("cpus", cpus.toString());
        }
        List<MemoryBlock> blocks =
                now.memory().map(memory -> blocks(memory, held.key())).orElse(List.of());
        if (!blocks.isEmpty()) {
            ArrayNode memory = pod.putArray("memory");
            blocks.forEach(block -> block.numaNodes().stream()
                    .map(ZoneName::of)
                    .forEach(memory.addObject()
                            .put("type", block.type())
                            .put("bytes", Long.toUnsignedString(block.sizeBytes()))
                            .putArray("zones")::add));
        }
        if (!held.devices().isEmpty()) {
            MachineTopology machine =
                    node.model().kubelet().orElseThrow().machine().topology();
            ArrayNode devices = pod.putArray("devices");
            held.devices()
                    .forEach(device -> PluginDevices.zones(
                            device.numaNodes().stream().mapToInt(Integer::intValue),
                            machine,
                            devices.addObject()
                                    .put("resource", device.resource())
                                    .put("device", device.deviceId())));
        }
    }

    /** The memory blocks of the pod as a whole where it has some, else those of its containers. */
    private static List<MemoryBlock> blocks(MemoryState memory, String pod) {
        List<MemoryBlock> whole = memory.podBlocks().getOrDefault(pod, List.of());
        return whole.isEmpty()
                ? memory.byPod().getOrDefault(pod, Collections.emptySortedMap()).values().stream()
                        .flatMap(List::stream)
                        .toList()
                : whole;
    }
}
