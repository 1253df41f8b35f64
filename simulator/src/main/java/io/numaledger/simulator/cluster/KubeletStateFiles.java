package io.numaledger.simulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads {@code cpu_manager_state}, {@code memory_manager_state} and {@code device-plugins/kubelet_internal_checkpoint}
 * (pkg/kubelet/cm/…/state/checkpoint.go). The kubelet replaces each by renaming, so that each is whole, but the three of them
 * are not of one instant.
 */
public final class KubeletStateFiles {

    private static final ObjectMapper JSON = new ObjectMapper();

    private KubeletStateFiles() {}

    /**
     * Reads the files below a kubelet's root directory; one that is not there counts as empty.
     *
     * @throws UncheckedIOException when a file is there and cannot be read
     */
    public static KubeletState read(Path kubeletRoot) {
        return parse(
                json(kubeletRoot.resolve("cpu_manager_state")),
                json(kubeletRoot.resolve("memory_manager_state")),
                json(kubeletRoot.resolve("device-plugins/kubelet_internal_checkpoint")));
    }

    private static JsonNode json(Path file) {
        try {
            return JSON.readTree(Files.readString(file));
        } catch (NoSuchFileException none) {
            return JSON.createObjectNode();
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot read a kubelet's state: file=%s; check that it is whole".formatted(file), cause);
        }
    }

    static KubeletState parse(JsonNode cpu, JsonNode memory, JsonNode devices) {
        Map<String, Map<String, Parts>> parts = new TreeMap<>();
        cpu.path("entries")
                .properties()
                .forEach(pod -> pod.getValue()
                        .properties()
                        .forEach(container -> parts(parts, pod.getKey(), container.getKey()).cpus =
                                CpuSet.parse(container.getValue().asText())));
        memory.path("entries")
                .properties()
                .forEach(pod -> pod.getValue()
                        .properties()
                        .forEach(container -> container
                                .getValue()
                                .forEach(block -> parts(parts, pod.getKey(), container.getKey())
                                        .memory
                                        .add(block(block)))));
        devices.path("Data")
                .path("PodDeviceEntries")
                .forEach(entry -> parts(
                                parts,
                                entry.path("PodUID").asText(),
                                entry.path("ContainerName").asText())
                        .devices
                        .addAll(devices(entry)));
        return new KubeletState(CpuSet.parse(cpu.path("defaultCpuSet").asText()), allocations(parts), tables(memory));
    }

    /** What has been read of one container so far. */
    private static final class Parts {
        private CpuSet cpus = CpuSet.EMPTY;
        private final List<MemoryBlock> memory = new ArrayList<>();
        private final List<DeviceAllocation> devices = new ArrayList<>();
    }

    private static Parts parts(Map<String, Map<String, Parts>> all, String podUid, String container) {
        return all.computeIfAbsent(podUid, uid -> new TreeMap<>()).computeIfAbsent(container, name -> new Parts());
    }

    private static MemoryBlock block(JsonNode block) {
        return new MemoryBlock(
                block.path("type").asText(), block.path("size").asLong(), integers(block.path("numaAffinity")));
    }

    private static SortedSet<Integer> integers(JsonNode array) {
        SortedSet<Integer> ids = new TreeSet<>();
        array.forEach(id -> ids.add(id.asInt()));
        return ids;
    }

    /** The file lists ids by NUMA node: a device of several nodes under each of them, one without topology under -1. */
    private static List<DeviceAllocation> devices(JsonNode entry) {
        SortedMap<String, SortedSet<Integer>> nodesOfDevice = new TreeMap<>();
        entry.path("DeviceIDs")
                .properties()
                .forEach(node -> node.getValue().forEach(id -> {
                    SortedSet<Integer> nodes = nodesOfDevice.computeIfAbsent(id.asText(), key -> new TreeSet<>());
                    int numaNode = Integer.parseInt(node.getKey());
                    if (numaNode >= 0) {
                        nodes.add(numaNode);
                    }
                }));
        String resource = entry.path("ResourceName").asText();
        return nodesOfDevice.entrySet().stream()
                .map(device -> new DeviceAllocation(resource, device.getKey(), device.getValue()))
                .toList();
    }

    private static SortedMap<String, SortedMap<String, ContainerAllocation>> allocations(
            Map<String, Map<String, Parts>> parts) {
        SortedMap<String, SortedMap<String, ContainerAllocation>> all = new TreeMap<>();
        parts.forEach((uid, containers) -> {
            SortedMap<String, ContainerAllocation> ofPod = new TreeMap<>();
            containers.forEach((name, held) ->
                    ofPod.put(name, new ContainerAllocation(name, held.cpus, held.memory, held.devices)));
            all.put(uid, ofPod);
        });
        return all;
    }

    private static SortedMap<Integer, SortedMap<String, MemoryTable>> tables(JsonNode memory) {
        SortedMap<Integer, SortedMap<String, MemoryTable>> all = new TreeMap<>();
        memory.path("machineState").properties().forEach(node -> {
            SortedMap<String, MemoryTable> types = new TreeMap<>();
            SortedSet<Integer> group = integers(node.getValue().path("cells"));
            node.getValue()
                    .path("memoryMap")
                    .properties()
                    .forEach(type -> types.put(
                            type.getKey(),
                            new MemoryTable(
                                    type.getValue().path("allocatable").asLong(),
                                    type.getValue().path("free").asLong(),
                                    group)));
            all.put(Integer.parseInt(node.getKey()), types);
        });
        return all;
    }
}
