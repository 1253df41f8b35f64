package io.numaledger.annotation;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.UnaryOperator;

/**
 * The text of {@code numaledger.io/placement}: what KAI's form cannot say. One line of JSON, containers by name:
 *
 * <pre>{@code
 * {"version":1,"containers":[{"name":"c","cpus":"2-5","memory":[{"type":"memory","bytes":1073741824,"numaNodes":"0-1"}],
 *  "devices":[{"resource":"nvidia.com/gpu","numaNodes":"0","ids":["gpu-0","gpu-1"]}]}]}
 * }</pre>
 *
 * CPUs and NUMA nodes are kernel lists; a memory block names all its NUMA nodes; a device without topology has none.
 * Beside {@code containers}, {@code cpus} and {@code memory} may stand for the pod as a whole. The version rises when a field changes
 * its meaning, and not when one is added; a text without one is of version 1.
 */
public final class AllocationText {

    /** What is written here, and the newest that is read. */
    static final int VERSION = 1;

    /** Many more than a pod has. Each costs the memory of a set of CPUs. */
    private static final int MAX_CONTAINERS = 1000;

    /** CPUs, and NUMA nodes of memory blocks and devices: several times as many as the longest record that a pod needs. */
    private static final int MAX_IDS = CpuSet.MAX_CPUS;

    private static final JsonFactory JSON = new JsonFactory();

    private AllocationText() {}

    public static String write(PodAllocation pod) {
        StringWriter text = new StringWriter();
        try (JsonGenerator json = JSON.createGenerator(text)) {
            json.writeStartObject();
            json.writeNumberField("version", VERSION);
            json.writeArrayFieldStart("containers");
            for (ContainerAllocation container : pod.containers()) {
                if (!container.isEmpty()) {
                    json.writeStartObject();
                    json.writeStringField("name", container.name());
                    write(json, container.cpus(), container.memory());
                    writeDevices(json, container.devices());
                    json.writeEndObject();
                }
            }
            json.writeEndArray();
            write(json, pod.cpus(), pod.memory());
            json.writeEndObject();
        } catch (IOException e) {
            throw new IllegalStateException("a string cannot fail to be written", e);
        }
        return text.toString();
    }

    private static void write(JsonGenerator json, CpuSet cpus, List<MemoryBlock> memory) throws IOException {
        if (!cpus.isEmpty()) {
            json.writeStringField("cpus", cpus.toString());
        }
        if (!memory.isEmpty()) {
            json.writeArrayFieldStart("memory");
            for (MemoryBlock block : memory) {
                json.writeStartObject();
                json.writeStringField("type", block.type());
                json.writeNumberField("bytes", block.sizeBytes());
                json.writeStringField("numaNodes", list(block.numaNodes()));
                json.writeEndObject();
            }
            json.writeEndArray();
        }
    }

    private static void writeDevices(JsonGenerator json, List<DeviceAllocation> devices) throws IOException {
        if (devices.isEmpty()) {
            return;
        }
        SortedMap<String, SortedMap<String, List<String>>> groups = new TreeMap<>();
        for (DeviceAllocation device : devices) {
            groups.computeIfAbsent(device.resource(), any -> new TreeMap<>())
                    .computeIfAbsent(list(device.numaNodes()), any -> new ArrayList<>())
                    .add(device.deviceId());
        }
        json.writeArrayFieldStart("devices");
        for (var resource : groups.entrySet()) {
            for (var group : resource.getValue().entrySet()) {
                json.writeStartObject();
                json.writeStringField("resource", resource.getKey());
                json.writeStringField("numaNodes", group.getKey());
                json.writeArrayFieldStart("ids");
                for (String id : group.getValue()) {
                    json.writeString(id);
                }
                json.writeEndArray();
                json.writeEndObject();
            }
        }
        json.writeEndArray();
    }

    /** A plugin can report a NUMA node such as -1, which no machine has. */
    private static String list(SortedSet<Integer> numaNodes) {
        return CpuSet.of(numaNodes.subSet(0, CpuSet.MAX_CPUS)).toString();
    }

    /** Reads the record of the pod of this name; only few such records are kept. */
    public static PodAllocation read(String namespace, String name, String text) {
        return read(namespace, name, text, UnaryOperator.identity());
    }

    /**
     * Reads the record of the pod of this name. Fields that are not known are left out.
     *
     * @param names returns one object for equal names of containers and resources, which the records of a cluster repeat
     * @throws IllegalArgumentException saying what is wrong with it, or that it is of a newer version
     */
    public static PodAllocation read(String namespace, String name, String text, UnaryOperator<String> names) {
        if (text.length() > Annotations.MAX_RECORD_BYTES) {
            throw malformed(
                    text,
                    "it has %d characters; expected at most %d".formatted(text.length(), Annotations.MAX_RECORD_BYTES),
                    null);
        }
        try (JsonParser json = JSON.createParser(text)) {
            if (json.nextToken() != JsonToken.START_OBJECT) {
                throw malformed(text, "it is no JSON object", null);
            }
            Fields pod = new Fields(new IdCount(), names).read(json);
            if (json.nextToken() != null) {
                throw malformed(text, "something follows the object", null);
            }
            if (pod.version > VERSION) {
                throw malformed(
                        text, "it is of version %d and this program reads %d".formatted(pod.version, VERSION), null);
            }
            return new PodAllocation(namespace, name, pod.containers, pod.cpus, pod.memory);
        } catch (IOException | IllegalArgumentException | ArithmeticException e) {
            throw malformed(text, String.valueOf(e.getMessage()), e);
        }
    }

    private static IllegalArgumentException malformed(String text, String why, @Nullable Exception cause) {
        return new IllegalArgumentException(
                "malformed %s: %s; text='%s'; the agent writes it again"
                        .formatted(Annotations.PLACEMENT, Annotations.shortened(why), Annotations.shortened(text)),
                cause);
    }

    /** The ids that one text names, expanded. */
    private static final class IdCount {
        private long ids;

        void add(long more) {
            ids += more;
            if (ids > MAX_IDS) {
                throw new IllegalArgumentException("it names more than %d ids".formatted(MAX_IDS));
            }
        }
    }

    /** The fields of a pod, a container, a memory block or a group of devices: each has some of them. */
    private static final class Fields {
        private final IdCount count;
        private final UnaryOperator<String> names;
        private final List<ContainerAllocation> containers = new ArrayList<>();
        private final List<MemoryBlock> memory = new ArrayList<>();
        private final List<DeviceAllocation> devices = new ArrayList<>();
        private final List<String> ids = new ArrayList<>();
        private CpuSet cpus = CpuSet.EMPTY;
        private final TreeSet<Integer> numaNodes = new TreeSet<>();
        private String name = "";
        private String type = "";
        private String resource = "";
        private long bytes;
        private int version = VERSION;

        Fields(IdCount count, UnaryOperator<String> names) {
            this.count = count;
            this.names = names;
        }

        Fields read(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String field = json.currentName();
                json.nextToken();
                switch (field) {
                    case "version" -> version = json.getIntValue();
                    case "name" -> name = names.apply(json.getText());
                    case "type" -> type = names.apply(json.getText());
                    case "resource" -> resource = names.apply(json.getText());
                    case "bytes" -> bytes = json.getLongValue();
                    case "cpus" -> readCpus(json);
                    case "numaNodes" -> numaNodes.addAll(CpuSet.parseNumaNodes(json.getText()));
                    case "ids" -> readIds(json);
                    case "containers" -> each(json, part -> add(part.container()));
                    case "memory" -> each(json, part -> memory.add(part.block()));
                    case "devices" -> each(json, part -> devices.addAll(part.group()));
                    default -> json.skipChildren();
                }
            }
            return this;
        }

        private interface Each {
            void accept(Fields part);
        }

        private void each(JsonParser json, Each take) throws IOException {
            while (json.nextToken() == JsonToken.START_OBJECT) {
                take.accept(new Fields(count, names).read(json));
            }
        }

        private void readCpus(JsonParser json) throws IOException {
            cpus = CpuSet.parse(json.getText());
            count.add(cpus.size());
        }

        private void readIds(JsonParser json) throws IOException {
            while (json.nextToken() == JsonToken.VALUE_STRING) {
                ids.add(json.getText());
            }
        }

        private void add(ContainerAllocation container) {
            containers.add(container);
            if (containers.size() > MAX_CONTAINERS) {
                throw new IllegalArgumentException("it has more than %d containers".formatted(MAX_CONTAINERS));
            }
        }

        private ContainerAllocation container() {
            return new ContainerAllocation(name, cpus, memory, devices);
        }

        private MemoryBlock block() {
            count.add(1 + numaNodes.size());
            return new MemoryBlock(type, bytes, numaNodes);
        }

        private List<DeviceAllocation> group() {
            count.add((long) ids.size() * (1 + numaNodes.size()));
            return ids.stream()
                    .map(id -> new DeviceAllocation(resource, id, numaNodes))
                    .toList();
        }
    }
}
