package io.numaledger.simulator.replay;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.apiobjects.recording.RecordedJson;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.device.DevicePreference;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.resource.Hugepages;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** From a scenario's JSON to the model's values. */
final class ScenarioReader {

    private ScenarioReader() {}

    static Scenario read(JsonNode json) {
        return new Scenario(
                RecordedJson.text(json, "id"),
                machine(RecordedJson.required(json, "machine")),
                config(KubeletVersion.parse(RecordedJson.text(json, "kubelet")), RecordedJson.required(json, "config")),
                RecordedJson.optional(json, "startupError").map(JsonNode::asText),
                json.path("initialState"),
                RecordedJson.list(json, "steps"),
                json.path("nondeterministic").asBoolean());
    }

    private static Machine machine(JsonNode json) {
        List<JsonNode> nodes = RecordedJson.list(json, "numaNodes");
        List<Integer> ids = nodes.stream()
                .map(node -> RecordedJson.required(node, "id").asInt())
                .toList();
        SortedMap<Integer, Integer> caches = caches(json);
        List<NumaNode> numaNodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        CpuSet online = CpuSet.EMPTY;
        for (int i = 0; i < nodes.size(); i++) {
            List<LogicalCpu> own = cpus(nodes.get(i), caches);
            CpuSet set = CpuSet.of(own.stream().map(LogicalCpu::id).toList());
            numaNodes.add(
                    numaNode(nodes.get(i), set, distances(json.path("distances").path(i), ids)));
            cpus.addAll(own);
            online = online.union(set);
        }
        return new Machine(new MachineTopology(online, numaNodes, cpus), devices(json.path("devices"), ids))
                .withPreferences(preferences(json.path("preferences")));
    }

    private static NumaNode numaNode(JsonNode json, CpuSet cpus, SortedMap<Integer, Integer> distances) {
        SortedMap<Long, Long> hugepages = new TreeMap<>();
        RecordedJson.fields(json.path("hugepages")).forEach((type, bytes) -> {
            long pageBytes = Hugepages.pageBytes(type);
            hugepages.put(pageBytes, bytes.asLong() / pageBytes);
        });
        return new NumaNode(
                RecordedJson.required(json, "id").asInt(),
                cpus,
                OptionalLong.of(RecordedJson.required(json, "memoryBytes").asLong()),
                hugepages,
                distances);
    }

    private static List<LogicalCpu> cpus(JsonNode node, SortedMap<Integer, Integer> caches) {
        List<LogicalCpu> cpus = new ArrayList<>();
        List<JsonNode> cores = RecordedJson.list(node, "cores");
        for (int i = 0; i < cores.size(); i++) {
            List<Integer> threads = RecordedJson.ints(cores.get(i));
            OptionalInt socket = OptionalInt.of(node.path("coreSockets")
                    .path(i)
                    .asInt(RecordedJson.required(node, "socket").asInt()));
            int lowest = threads.stream().mapToInt(Integer::intValue).min().orElseThrow();
            for (int cpu : threads) {
                OptionalInt cache = caches.containsKey(cpu) ? OptionalInt.of(caches.get(cpu)) : OptionalInt.empty();
                cpus.add(new LogicalCpu(cpu, socket, lowest, cache));
            }
        }
        return cpus;
    }

    /** CPU → id of its L3 cache. */
    private static SortedMap<Integer, Integer> caches(JsonNode machine) {
        SortedMap<Integer, Integer> cacheOfCpu = new TreeMap<>();
        for (JsonNode cache : RecordedJson.list(machine, "l3Caches")) {
            int id = RecordedJson.required(cache, "id").asInt();
            RecordedJson.ints(RecordedJson.required(cache, "cpus")).forEach(cpu -> cacheOfCpu.put(cpu, id));
        }
        return cacheOfCpu;
    }

    private static SortedMap<Integer, Integer> distances(JsonNode row, List<Integer> ids) {
        SortedMap<Integer, Integer> byId = new TreeMap<>();
        for (int j = 0; j < row.size() && j < ids.size(); j++) {
            byId.put(ids.get(j), row.get(j).asInt());
        }
        return byId;
    }

    /**
     * Reads resource → the devices that its plugin lists.
     *
     * @param machine the ids of its NUMA nodes
     */
    static SortedMap<String, List<Device>> devices(JsonNode json, List<Integer> machine) {
        SortedMap<String, List<Device>> byResource = new TreeMap<>();
        RecordedJson.fields(json).forEach((resource, list) -> {
            List<Device> devices = new ArrayList<>();
            list.forEach(device -> devices.add(new Device(
                    RecordedJson.text(device, "id"),
                    Device.numaNodes(RecordedJson.ints(device.path("numaNodes")), machine),
                    device.path("healthy").asBoolean(true))));
            byResource.put(resource, devices);
        });
        return byResource;
    }

    private static SortedMap<String, DevicePreference> preferences(JsonNode json) {
        SortedMap<String, DevicePreference> byResource = new TreeMap<>();
        RecordedJson.fields(json)
                .forEach((resource, name) -> byResource.put(resource, RecordedPreference.named(name.asText())));
        return byResource;
    }

    static KubeletConfig config(KubeletVersion version, JsonNode json) {
        JsonNode reserved = json.path("systemReserved");
        return new KubeletConfig(
                version,
                new TopologyManagerConfig(
                        TopologyPolicyName.parse(
                                json.path("topologyManagerPolicy").asText("none")),
                        TopologyScope.parse(json.path("topologyManagerScope").asText("container")),
                        RecordedJson.texts(json.path("topologyManagerPolicyOptions"))),
                new CpuManagerConfig(
                        CpuPolicy.parse(json.path("cpuManagerPolicy").asText("none")),
                        RecordedJson.texts(json.path("cpuManagerPolicyOptions")),
                        CpuSet.parse(json.path("reservedCpus").asText("")),
                        RecordedJson.optional(reserved, "cpu")
                                .map(cpu ->
                                        OptionalLong.of(version.reservedCpuMillis(RequestedAmount.parse(cpu.asText()))))
                                .orElse(OptionalLong.empty())),
                memoryConfig(json, reserved),
                RecordedJson.flags(json.path("featureGates")));
    }

    private static MemoryManagerConfig memoryConfig(JsonNode json, JsonNode systemReserved) {
        SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
        for (JsonNode entry : RecordedJson.list(json, "reservedMemory")) {
            SortedMap<String, Long> limits = reserved.computeIfAbsent(
                    RecordedJson.required(entry, "numaNode").asInt(), node -> new TreeMap<>());
            RecordedJson.fields(entry.path("limits")).forEach((type, bytes) -> limits.put(type, bytes(bytes)));
        }
        SortedMap<String, Long> total = new TreeMap<>();
        RecordedJson.fields(systemReserved).forEach((type, amount) -> {
            if (ResourceKind.of(type) == ResourceKind.MEMORY) {
                total.put(type, bytes(amount));
            }
        });
        return new MemoryManagerConfig(
                MemoryPolicy.parse(json.path("memoryManagerPolicy").asText("None")),
                reserved,
                total.isEmpty() ? Optional.empty() : Optional.of(total));
    }

    private static long bytes(JsonNode amount) {
        return RequestedAmount.parse(amount.asText()).whole();
    }
}
