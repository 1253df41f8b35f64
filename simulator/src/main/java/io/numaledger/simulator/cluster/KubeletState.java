package io.numaledger.simulator.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.numaledger.agent.statefiles.KubeletStateFiles;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static io.numaledger.topology.Sorted.sorted;

/**
 * What a kubelet's state files say: which container holds what, by pod UID, init containers included. It may still list pods
 * that have ended, until the next admission. The kubelet replaces each file as a whole, but the files are not written at the
 * same instant.
 *
 * @param sharedCpus the CPUs that no container holds exclusively
 * @param containers pod UID → container → what it holds
 * @param memory NUMA node → type → table; empty with Memory Manager policy None
 */
public record KubeletState(
        CpuSet sharedCpus,
        SortedMap<String, SortedMap<String, ContainerAllocation>> containers,
        SortedMap<Integer, SortedMap<String, MemoryTable>> memory) {

    private static final ObjectMapper JSON = new ObjectMapper();

    public KubeletState {
        containers = sorted(containers);
        memory = sorted(memory);
    }

    /**
     * Reads the files below a kubelet's root directory. A kubelet that has not written its CPU and memory state yet holds
     * nothing.
     *
     * @throws UncheckedIOException if a file exists and cannot be read
     */
    public static KubeletState read(Path kubeletRoot) {
        try {
            JsonNode cpu = json(kubeletRoot.resolve("cpu_manager_state"));
            JsonNode memory = json(kubeletRoot.resolve("memory_manager_state"));
            return new KubeletState(
                    CpuSet.parse(cpu.path("defaultCpuSet").asText()),
                    byName(new KubeletStateFiles(kubeletRoot).read().byPod()),
                    tables(memory.path("machineState")));
        } catch (IOException cause) {
            if (cause instanceof NoSuchFileException || cause.getCause() instanceof NoSuchFileException) {
                return new KubeletState(CpuSet.EMPTY, new TreeMap<>(), new TreeMap<>());
            }
            throw new UncheckedIOException(
                    "cannot read a kubelet's state: directory=%s; check that its state files are complete"
                            .formatted(kubeletRoot),
                    cause);
        }
    }

    private static JsonNode json(Path file) throws IOException {
        return JSON.readTree(Files.readAllBytes(file));
    }

    private static SortedMap<String, SortedMap<String, ContainerAllocation>> byName(
            SortedMap<String, List<ContainerAllocation>> pods) {
        SortedMap<String, SortedMap<String, ContainerAllocation>> all = new TreeMap<>();
        pods.forEach((uid, containers) -> {
            SortedMap<String, ContainerAllocation> ofPod = new TreeMap<>();
            containers.forEach(container -> ofPod.put(container.name(), container));
            all.put(uid, ofPod);
        });
        return all;
    }

    private static SortedMap<Integer, SortedMap<String, MemoryTable>> tables(JsonNode machineState) {
        SortedMap<Integer, SortedMap<String, MemoryTable>> all = new TreeMap<>();
        machineState.properties().forEach(node -> {
            SortedSet<Integer> group = new TreeSet<>();
            node.getValue().path("cells").forEach(id -> group.add(id.asInt()));
            SortedMap<String, MemoryTable> types = new TreeMap<>();
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

    /** The containers of one pod; empty if the kubelet holds nothing for it. */
    public SortedMap<String, ContainerAllocation> ofPod(String uid) {
        return containers.getOrDefault(uid, Collections.unmodifiableSortedMap(new TreeMap<>()));
    }
}
