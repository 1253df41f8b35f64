package io.numaledger.agent.statefiles;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What a kubelet that starts compares with its configuration (cm/cpumanager/policy_static.go and cm/memorymanager/policy_static.go,
 * validateState). Files that are not there, as after an administrator has deleted them, have no policy: the kubelet then starts afresh.
 *
 * @param sharedCpus the CPU Manager's {@code defaultCpuSet}
 * @param heldCpus the exclusive CPUs of containers, and those of pods as a whole
 * @param reservedMemory such as {@code node-0 memory} to bytes, without zeros
 * @param memoryZones of which NUMA nodes together containers hold memory
 */
public record StartState(
        String cpuPolicy,
        CpuSet sharedCpus,
        CpuSet heldCpus,
        String memoryPolicy,
        SortedMap<String, Long> reservedMemory,
        Set<SortedSet<Integer>> memoryZones) {

    private static final JsonFactory JSON = new JsonFactory();

    public StartState {
        reservedMemory = Collections.unmodifiableSortedMap(reservedMemory);
        memoryZones = Set.copyOf(memoryZones);
    }

    /**
     * Reads both files.
     *
     * @param directory the kubelet's root directory
     * @throws IOException if a file cannot be read; the message names it
     */
    public static StartState read(Path directory) throws IOException {
        CpuCheckpoint cpus = read(
                directory.resolve("cpu_manager_state"),
                CpuCheckpoint::parse,
                new CpuCheckpoint("", CpuSet.EMPTY, Collections.emptySortedMap(), CpuSet.EMPTY));
        Memory memory = read(directory.resolve("memory_manager_state"), json -> new Memory().read(json), new Memory());
        return new StartState(cpus.policy(), cpus.shared(), cpus.held(), memory.policy, memory.reserved, memory.zones);
    }

    private interface Content<T> {
        T read(JsonParser json) throws IOException;
    }

    private static <T> T read(Path file, Content<T> content, T without) throws IOException {
        try (JsonParser json = JSON.createParser(Files.readAllBytes(file))) {
            return content.read(json);
        } catch (NoSuchFileException absent) {
            return without;
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot read the kubelet's state: file=%s: %s; check --kubelet-state-dir"
                            .formatted(
                                    file,
                                    String.valueOf(e.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse("")),
                    e);
        }
    }

    private static final class Memory {
        private String policy = "";
        private final TreeMap<String, Long> reserved = new TreeMap<>();
        private final Set<SortedSet<Integer>> zones = new HashSet<>();

        private Memory read(JsonParser json) throws IOException {
            StateJson.begin(json);
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                JsonToken value = json.nextToken();
                switch (value == JsonToken.VALUE_NULL ? "" : field) {
                    case "policyName" -> policy = json.getText();
                    case "machineState" -> machine(json);
                    case "entries" -> entries(json);
                    default -> json.skipChildren();
                }
            }
            return this;
        }

        private void entries(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                json.nextToken();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    json.nextToken();
                    while (json.nextToken() == JsonToken.START_OBJECT) {
                        StateJson.field(json, "numaAffinity", () -> zones.add(ids(json)));
                    }
                }
            }
        }

        private static SortedSet<Integer> ids(JsonParser json) throws IOException {
            TreeSet<Integer> ids = new TreeSet<>();
            while (json.nextToken() != JsonToken.END_ARRAY) {
                ids.add(json.getIntValue());
            }
            return ids;
        }

        private void machine(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String zone = "node-" + json.currentName();
                json.nextToken();
                StateJson.field(json, "memoryMap", () -> {
                    while (json.nextToken() == JsonToken.FIELD_NAME) {
                        String type = json.currentName();
                        json.nextToken();
                        StateJson.field(json, "systemReserved", () -> put(zone + " " + type, json.getLongValue()));
                    }
                });
            }
        }

        private void put(String name, long bytes) {
            if (bytes > 0) {
                reserved.put(name, bytes);
            }
        }
    }
}
