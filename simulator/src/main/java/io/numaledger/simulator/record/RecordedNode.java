package io.numaledger.simulator.record;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/**
 * What is recorded of a node.
 *
 * @param allocatable the devices that the kubelet gives out; held ones are recorded, too
 * @param drivers its devices of Dynamic Resource Allocation
 * @param held pod UID → what its containers hold
 * @param decided the pod on which the kubelet decided last
 */
record RecordedNode(
        MachineTopology machine,
        RecordedKubelet kubelet,
        List<DeviceAllocation> allocatable,
        RecordedDrivers drivers,
        SortedMap<String, List<ContainerAllocation>> held,
        Optional<DecidedPod> decided,
        Names names) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final YAMLMapper YAML = new YAMLMapper();

    /** What node YAML cannot express of a machine, one sentence for each NUMA node. */
    static List<String> notSimulated(MachineTopology machine) {
        return machine.numaNodes().stream()
                .filter(node -> cpus(machine, node).stream()
                                .map(LogicalCpu::socket)
                                .distinct()
                                .count()
                        > 1)
                .map(node ->
                        "the cores of a NUMA node lie in several sockets, and are recorded as in one: numaNode=%d; "
                                        .formatted(node.id())
                                + "the kubelet may allocate other CPUs than sim replay and sim up")
                .toList();
    }

    private static List<LogicalCpu> cpus(MachineTopology machine, NumaNode numaNode) {
        return machine.cpus().stream()
                .filter(cpu -> numaNode.cpus().contains(cpu.id()))
                .toList();
    }

    Recording recording() throws JsonProcessingException {
        return new Recording(YAML.writeValueAsString(nodes()), JSON.writeValueAsString(pods()));
    }

    private ObjectNode nodes() {
        ObjectNode file = JSON.createObjectNode();
        ObjectNode node = file.putArray("nodes").addObject();
        node.put("name", "recorded").put("kubeletVersion", kubelet.version());
        node.set("kubelet", kubelet.nodeYaml(machine));
        ArrayNode numaNodes = node.putArray("numaNodes");
        machine.numaNodes().forEach(each -> numaNodes.add(numaNode(each)));
        if (machine.numaNodes().stream().allMatch(this::hasAllDistances)) {
            ArrayNode rows = node.putArray("distances");
            machine.numaNodes().forEach(from -> from.distances().values().forEach(rows.addArray()::add));
        }
        ArrayNode devices = node.putArray("devices");
        for (DeviceAllocation device : devices()) {
            ObjectNode entry = devices.addObject().put("resource", device.resource());
            entry.putArray("ids").add(names.apply(device.deviceId()));
            device.numaNodes().forEach(entry.putArray("numaNodes")::add);
        }
        node.set("draDrivers", drivers.nodeYaml(names));
        return file;
    }

    private boolean hasAllDistances(NumaNode from) {
        List<Integer> ids = machine.numaNodes().stream().map(NumaNode::id).toList();
        return List.copyOf(from.distances().keySet()).equals(ids);
    }

    private ObjectNode numaNode(NumaNode numaNode) {
        ObjectNode entry = JSON.createObjectNode().put("id", numaNode.id());
        long bytes = numaNode.memoryBytes()
                .orElseThrow(() -> new IllegalArgumentException(
                        "the memory of a NUMA node is not known: numaNode=%d; check --sysfs-root"
                                .formatted(numaNode.id())));
        entry.put("memory", Long.toString(bytes));
        ObjectNode hugepages = entry.putObject("hugepages");
        numaNode.hugepages().forEach((size, pages) -> hugepages.put(Long.toString(size), pages));
        List<LogicalCpu> cpus = cpus(machine, numaNode);
        if (cpus.isEmpty()) {
            return entry.put("cores", 0);
        }
        entry.put("socket", cpus.get(0).socket().orElse(numaNode.id()));
        texts(cpus, LogicalCpu::core).forEach(entry.putArray("coreCpus")::add);
        if (cpus.stream().allMatch(cpu -> cpu.l3Cache().isPresent())) {
            texts(cpus, cpu -> cpu.l3Cache().orElseThrow()).forEach(entry.putArray("l3Caches")::add);
        }
        return entry;
    }

    /** The ids of CPUs that belong together, as CPU lists. */
    private static Collection<String> texts(List<LogicalCpu> cpus, ToIntFunction<LogicalCpu> by) {
        return cpus.stream()
                .collect(Collectors.groupingBy(
                        by::applyAsInt,
                        TreeMap::new,
                        Collectors.collectingAndThen(
                                Collectors.mapping(LogicalCpu::id, Collectors.toList()),
                                ids -> CpuSet.of(ids).toString())))
                .values();
    }

    private Collection<DeviceAllocation> devices() {
        TreeSet<DeviceAllocation> all = new TreeSet<>(allocatable);
        held.values().stream()
                .flatMap(List::stream)
                .flatMap(container -> container.devices().stream())
                .forEach(all::add);
        return all;
    }

    private ObjectNode pods() {
        ObjectNode file = JSON.createObjectNode();
        ArrayNode pods = file.putArray("held");
        Optional<String> own = decided.map(DecidedPod::uid);
        held.forEach((uid, containers) -> {
            if (!own.equals(Optional.of(uid))) {
                ObjectNode pod = pods.addObject().put("name", names.apply(uid));
                ObjectNode byName = pod.putObject("containers");
                containers.forEach(each -> byName.set(names.apply(each.name()), container(each)));
            }
        });
        decided.ifPresent(pod -> file.set("decided", pod.step(held.getOrDefault(pod.uid(), List.of()), names)));
        return file;
    }

    private ObjectNode container(ContainerAllocation container) {
        ObjectNode entry = JSON.createObjectNode().put("cpus", container.cpus().toString());
        ArrayNode memory = entry.putArray("memory");
        container.memory().forEach(block -> {
            ObjectNode json = memory.addObject().put("type", block.type()).put("size", block.sizeBytes());
            block.numaNodes().forEach(json.putArray("numaAffinity")::add);
        });
        ObjectNode devices = entry.putObject("devices");
        container
                .devices()
                .forEach(device -> devices.withArrayProperty(device.resource()).add(names.apply(device.deviceId())));
        return entry;
    }
}
