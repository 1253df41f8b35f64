package io.numaledger.apiobjects.recording;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;

/** What a container holds. */
public final class HeldByContainer {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;

    private HeldByContainer() {}

    /** A device of the recorded node, by its resource and id. */
    @FunctionalInterface
    public interface DeviceOfId {
        DeviceAllocation find(String resource, String id);
    }

    /** The JSON of it, with the ids of devices. */
    public static ObjectNode of(ContainerAllocation container) {
        ObjectNode entry = JSON.objectNode().put("cpus", container.cpus().toString());
        ArrayNode memory = entry.putArray("memory");
        container.memory().forEach(block -> {
            ObjectNode json = memory.addObject().put("type", block.type()).put("size", block.sizeBytes());
            block.numaNodes().forEach(json.putArray("numaAffinity")::add);
        });
        ObjectNode devices = entry.putObject("devices");
        container
                .devices()
                .forEach(device -> devices.withArrayProperty(device.resource()).add(device.deviceId()));
        return entry;
    }

    /** Reads what a container of this name holds. */
    public static ContainerAllocation read(String container, JsonNode held, DeviceOfId known) {
        List<MemoryBlock> memory = RecordedJson.list(held, "memory").stream()
                .map(block -> new MemoryBlock(
                        RecordedJson.text(block, "type"),
                        RecordedJson.required(block, "size").asLong(),
                        RecordedJson.ints(RecordedJson.required(block, "numaAffinity"))))
                .toList();
        List<DeviceAllocation> devices = new ArrayList<>();
        RecordedJson.fields(held.path("devices"))
                .forEach((resource, ids) -> ids.forEach(id -> devices.add(known.find(resource, id.asText()))));
        return new ContainerAllocation(container, CpuSet.parse(RecordedJson.text(held, "cpus")), memory, devices);
    }
}
