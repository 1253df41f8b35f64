package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.Collection;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.ToIntFunction;
import java.util.stream.Collectors;

/** The node YAML of one node, which simulates it. */
public final class NodeYaml {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private NodeYaml() {}

    /** The only node of a file: hardware and configuration of a kubelet that is modelled. */
    public static ObjectNode of(String name, KubeletModel kubelet) {
        KubeletConfig config = kubelet.rules().config();
        TreeSet<DeviceAllocation> devices = new TreeSet<>();
        kubelet.machine()
                .devices()
                .forEach((resource, all) -> all.forEach(device -> devices.add(new DeviceAllocation(
                        resource, device.id(), device.numaNodes().ids().boxed().toList()))));
        return file(node(
                name,
                config.version().toString(),
                kubelet(config),
                kubelet.machine().topology(),
                devices));
    }

    /** A file with one node. */
    public static ObjectNode file(ObjectNode node) {
        ObjectNode file = JSON.objectNode();
        file.putArray("nodes").add(node);
        return file;
    }

    /**
     * A node.
     *
     * @param version {@code major.minor}
     * @param kubelet its configuration
     */
    public static ObjectNode node(
            String name,
            String version,
            ObjectNode kubelet,
            MachineTopology machine,
            Collection<DeviceAllocation> devices) {
        ObjectNode node = JSON.objectNode().put("name", name).put("kubeletVersion", version);
        node.set("kubelet", kubelet);
        ArrayNode numaNodes = node.putArray("numaNodes");
        machine.numaNodes().forEach(each -> numaNodes.add(numaNode(machine, each)));
        List<Integer> ids = machine.numaNodes().stream().map(NumaNode::id).toList();
        if (machine.numaNodes().stream()
                .allMatch(from -> List.copyOf(from.distances().keySet()).equals(ids))) {
            ArrayNode rows = node.putArray("distances");
            machine.numaNodes().forEach(from -> from.distances().values().forEach(rows.addArray()::add));
        }
        ArrayNode all = node.putArray("devices");
        for (DeviceAllocation device : devices) {
            ObjectNode entry = all.addObject().put("resource", device.resource());
            entry.putArray("ids").add(device.deviceId());
            device.numaNodes().forEach(entry.putArray("numaNodes")::add);
        }
        return node;
    }

    private static ObjectNode numaNode(MachineTopology machine, NumaNode numaNode) {
        ObjectNode entry = JSON.objectNode().put("id", numaNode.id());
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

    /** The CPUs of a NUMA node. */
    public static List<LogicalCpu> cpus(MachineTopology machine, NumaNode numaNode) {
        return machine.cpus().stream()
                .filter(cpu -> numaNode.cpus().contains(cpu.id()))
                .toList();
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

    /** The fields of a KubeletConfiguration that configure these managers, without {@code reservedMemory}. */
    public static ObjectNode kubelet(
            TopologyManagerConfig topologyManager, CpuManagerConfig cpuManager, MemoryManagerConfig memoryManager) {
        ObjectNode json = JSON.objectNode()
                .put("topologyManagerPolicy", topologyManager.policy().toString())
                .put("topologyManagerScope", topologyManager.scope().toString())
                .put("cpuManagerPolicy", cpuManager.policy().toString())
                .put("memoryManagerPolicy", memoryManager.policy().toString())
                .put("reservedSystemCPUs", cpuManager.reservedCpus().toString());
        put(json, "topologyManagerPolicyOptions", topologyManager.options());
        put(json, "cpuManagerPolicyOptions", cpuManager.options());
        return json;
    }

    private static ObjectNode kubelet(KubeletConfig config) {
        ObjectNode json = kubelet(config.topologyManager(), config.cpuManager(), config.memoryManager());
        ObjectNode gates = json.putObject("featureGates");
        config.featureGates().forEach(gates::put);
        ArrayNode reserved = json.putArray("reservedMemory");
        config.memoryManager().reservedMemory().forEach((numaNode, amounts) -> {
            ObjectNode limits = JSON.objectNode();
            amounts.forEach((type, bytes) -> {
                if (bytes > 0) { // the kubelet refuses to start with 0
                    limits.put(type, Long.toString(bytes));
                }
            });
            if (!limits.isEmpty()) {
                reserved.addObject().put("numaNode", numaNode).set("limits", limits);
            }
        });
        return json;
    }

    private static void put(ObjectNode kubelet, String field, SortedMap<String, String> options) {
        ObjectNode json = kubelet.putObject(field);
        options.forEach(json::put);
    }
}
