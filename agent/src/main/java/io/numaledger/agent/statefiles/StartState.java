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
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a kubelet that starts compares with its configuration (cm/cpumanager/policy_static.go and cm/memorymanager/policy_static.go,
 * validateState). Files that are not there, as after an administrator has deleted them, have no policy: the kubelet then starts afresh.
 *
 * @param sharedCpus the CPU Manager's {@code defaultCpuSet}
 * @param heldCpus the exclusive CPUs of containers
 * @param hasPodEntries whether pods have CPUs as a whole, which may be more than those of their containers
 * @param reservedMemory such as {@code node-0 memory} to bytes, without zeros
 */
public record StartState(
        String cpuPolicy,
        CpuSet sharedCpus,
        CpuSet heldCpus,
        boolean hasPodEntries,
        String memoryPolicy,
        SortedMap<String, Long> reservedMemory) {

    private static final JsonFactory JSON = new JsonFactory();

    public StartState {
        reservedMemory = Collections.unmodifiableSortedMap(reservedMemory);
    }

    /**
     * Reads both files.
     *
     * @param directory the kubelet's root directory
     * @throws IOException if a file cannot be read; the message names it
     */
    public static StartState read(Path directory) throws IOException {
        Reader cpus = new Reader();
        cpus.read(directory.resolve("cpu_manager_state"));
        Reader memory = new Reader();
        memory.read(directory.resolve("memory_manager_state"));
        return new StartState(cpus.policy, cpus.shared, cpus.held, cpus.podEntries, memory.policy, memory.reserved);
    }

    /** Reads one file. */
    private static final class Reader {
        private String policy = "";
        private CpuSet shared = CpuSet.EMPTY;
        private CpuSet held = CpuSet.EMPTY;
        private boolean podEntries;
        private final TreeMap<String, Long> reserved = new TreeMap<>();

        private void read(Path file) throws IOException {
            try (JsonParser json = JSON.createParser(Files.readAllBytes(file))) {
                StateJson.begin(json);
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    String field = json.currentName();
                    JsonToken value = json.nextToken();
                    switch (value == JsonToken.VALUE_NULL ? "" : field) {
                        case "policyName" -> policy = json.getText();
                        case "defaultCpuSet" -> shared = CpuSet.parse(json.getText());
                        case "machineState" -> machine(json);
                        case "entries" -> entries(json);
                        case "data" -> data(json.getText());
                        default -> json.skipChildren();
                    }
                }
            } catch (NoSuchFileException absent) {
                policy = "";
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

        /** Of pods, by UID; those of the Memory Manager are blocks. */
        private void entries(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                json.nextToken();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    if (json.nextToken() == JsonToken.VALUE_STRING) {
                        held = held.union(CpuSet.parse(json.getText()));
                    } else {
                        json.skipChildren();
                    }
                }
            }
        }

        /** All of the state once more as a text, with what older kubelets do not read (1.37 and later). */
        private void data(String text) throws IOException {
            try (JsonParser json = JSON.createParser(text)) {
                StateJson.begin(json);
                StateJson.field(json, "podEntries", () -> {
                    while (json.nextToken() == JsonToken.FIELD_NAME) {
                        podEntries = true;
                        json.nextToken();
                        json.skipChildren();
                    }
                });
            }
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
