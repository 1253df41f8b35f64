package io.numaledger.agent.statefiles;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The kubelet's own records {@code cpu_manager_state}, {@code memory_manager_state} (pkg/kubelet/cm/cpumanager/state and
 * memorymanager/state, checkpoint.go) and {@code device-plugins/kubelet_internal_checkpoint}: what each container of each pod
 * holds, plain init containers included, which the podresources API never lists. The kubelet replaces each file by renaming, so
 * each is whole; the three are not of one instant.
 */
public final class KubeletStateFiles {

    private static final JsonFactory JSON = new JsonFactory();
    private static final String DEVICES = "device-plugins/kubelet_internal_checkpoint";

    private final Path directory;

    /** @param directory the kubelet's root directory, usually {@code /var/lib/kubelet} */
    public KubeletStateFiles(Path directory) {
        this.directory = directory;
    }

    /**
     * What the files say at one instant.
     *
     * @param byPod pod UID → what its containers hold
     * @param cpus those that are shared or that a pod holds: all others of the kubelet's are given to nobody. Empty where its CPU Manager is off
     */
    public record State(SortedMap<String, List<ContainerAllocation>> byPod, CpuSet cpus) {}

    /**
     * Reads the files. A kubelet that never had a device plugin has no file of devices.
     *
     * @throws IOException if a file cannot be read; the message names it
     */
    public State read() throws IOException {
        SortedMap<String, SortedMap<String, Held>> held = new TreeMap<>();
        CpuCheckpoint cpus = read("cpu_manager_state", CpuCheckpoint::parse);
        cpus.byPod()
                .forEach((uid, containers) ->
                        containers.forEach((container, own) -> held(held, uid, container).cpus = own));
        read("memory_manager_state", json -> memory(json, held));
        if (Files.exists(directory.resolve(DEVICES))) {
            read(DEVICES, DeviceCheckpoint::parse)
                    .forEach(entry -> held(held, entry.podUid(), entry.container())
                            .devices
                            .addAll(entry.devices()));
        }
        SortedMap<String, List<ContainerAllocation>> byPod = new TreeMap<>();
        held.forEach((uid, containers) -> {
            List<ContainerAllocation> ofPod = new ArrayList<>();
            containers.forEach(
                    (name, one) -> ofPod.add(new ContainerAllocation(name, one.cpus, one.memory, one.devices)));
            byPod.put(uid, ofPod);
        });
        return new State(byPod, cpus.shared().union(cpus.held()));
    }

    /** What has been read of one container so far. */
    private static final class Held {
        private CpuSet cpus = CpuSet.EMPTY;
        private final List<MemoryBlock> memory = new ArrayList<>();
        private final List<DeviceAllocation> devices = new ArrayList<>();
    }

    private static Held held(SortedMap<String, SortedMap<String, Held>> all, String podUid, String container) {
        return all.computeIfAbsent(podUid, uid -> new TreeMap<>()).computeIfAbsent(container, name -> new Held());
    }

    private interface Content<T> {
        T read(JsonParser json) throws IOException;
    }

    private <T> T read(String name, Content<T> content) throws IOException {
        Path file = directory.resolve(name);
        try (JsonParser json = JSON.createParser(Files.readAllBytes(file))) {
            return content.read(json);
        } catch (NoSuchFileException e) {
            throw new IOException(
                    "cannot read the kubelet's state: file=%s does not exist; check --kubelet-state-dir and its mount"
                            .formatted(file),
                    e);
        } catch (IOException | IllegalArgumentException e) {
            throw new IOException(
                    "cannot read the kubelet's state: file=%s: %s; check --kubelet-state-dir and the kubelet's version"
                            .formatted(
                                    file,
                                    String.valueOf(e.getMessage())
                                            .lines()
                                            .findFirst()
                                            .orElse("")),
                    e);
        }
    }

    /** {@code {"entries":{UID:{CONTAINER:…}}}}; other fields are not needed here. */
    private static SortedMap<String, SortedMap<String, Held>> memory(
            JsonParser json, SortedMap<String, SortedMap<String, Held>> into) throws IOException {
        StateJson.begin(json);
        StateJson.field(json, "entries", () -> {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String podUid = json.currentName();
                json.nextToken();
                while (json.nextToken() == JsonToken.FIELD_NAME) {
                    Held container = held(into, podUid, json.currentName());
                    json.nextToken();
                    blocks(container, json);
                }
            }
        });
        return into;
    }

    /** A block of 0 bytes is what is left of one that a later container reuses. */
    private static void blocks(Held container, JsonParser json) throws IOException {
        while (json.nextToken() == JsonToken.START_OBJECT) {
            TreeSet<Integer> numaNodes = new TreeSet<>();
            String type = "";
            long bytes = 0;
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "numaAffinity" -> {
                        while (json.nextToken() != JsonToken.END_ARRAY) {
                            numaNodes.add(json.getIntValue());
                        }
                    }
                    case "type" -> type = json.getText();
                    case "size" -> bytes = json.getLongValue();
                    default -> json.skipChildren();
                }
            }
            if (bytes > 0) {
                container.memory.add(new MemoryBlock(type, bytes, numaNodes));
            }
        }
    }
}
