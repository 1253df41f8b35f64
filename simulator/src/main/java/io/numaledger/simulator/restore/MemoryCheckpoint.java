package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.resource.Hugepages;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NumaNodeSpec;
import io.numaledger.simulator.restore.GoType.Field;
import io.numaledger.topology.AffinityMask;

import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * {@code memory_manager_state} (pkg/kubelet/cm/memorymanager/state/checkpoint.go, MemoryManagerCheckpointV1): who has which memory. The
 * kubelet starts only if the tables are those that it makes itself (policy_static.go, validateState).
 */
final class MemoryCheckpoint {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String MEMORY = "memory";

    private static final GoType IDS = GoType.list(GoType.PLAIN);
    private static final GoType TABLE = GoType.struct(
            bytes("TotalMemSize", "total"),
            bytes("SystemReserved", "systemReserved"),
            bytes("Allocatable", "allocatable"),
            bytes("Reserved", "reserved"),
            bytes("Free", "free"));
    private static final GoType NODE = GoType.struct(
            new Field("NumberOfAssignments", "int", "numberOfAssignments", GoType.PLAIN),
            new Field("MemoryMap", "map[v1.ResourceName]*state.MemoryTable", "memoryMap", GoType.map(pointer(TABLE))),
            new Field("Cells", "[]int", "cells", IDS));
    private static final GoType BLOCK = GoType.struct(
            new Field("NUMAAffinity", "[]int", "numaAffinity", IDS),
            new Field("Type", "v1.ResourceName", "type", GoType.PLAIN),
            bytes("Size", "size"));
    private static final GoType CHECKPOINT = GoType.struct(
            new Field("PolicyName", "string", "policyName", GoType.PLAIN),
            new Field("MachineState", "state.NUMANodeMap", "machineState", GoType.map(pointer(NODE))),
            new Field(
                    "Entries",
                    "state.ContainerMemoryAssignments",
                    "entries",
                    GoType.map(GoType.map(GoType.list(BLOCK)))),
            new Field("Checksum", "checksum.Checksum", "checksum", GoType.PLAIN));

    private static Field bytes(String name, String json) {
        return new Field(name, "uint64", json, GoType.PLAIN);
    }

    private static GoType pointer(GoType to) {
        return value -> "<*>" + to.text(value);
    }

    private final NodeSpec node;
    private final MemoryState state;

    /** @param state pods are named by their UIDs */
    MemoryCheckpoint(NodeSpec node, MemoryState state) {
        this.node = node;
        this.state = state;
    }

    /** Hugepages are a part of the memory, and no part of what is allocatable of it (getDefaultMachineState, policy_static.go). */
    private SortedMap<String, ObjectNode> tables(NumaNodeSpec numaNode, NumaMemory memory) {
        SortedMap<String, ObjectNode> tables = new TreeMap<>();
        long huge = 0;
        for (long pageBytes : HardwareTree.hugepages(numaNode).keySet()) {
            String type = Hugepages.resource(pageBytes);
            ObjectNode table = table(type, 0, numaNode.id(), memory);
            tables.put(type, table);
            huge += table.path("total").asLong();
        }
        tables.put(MEMORY, table(MEMORY, huge, numaNode.id(), memory));
        return tables;
    }

    private ObjectNode table(String type, long more, int numaNode, NumaMemory memory) {
        long reserved = node.kubelet().memoryManager().reserved(numaNode, type);
        long allocatable = memory.allocatable().getOrDefault(type, 0L);
        long free = memory.free().getOrDefault(type, 0L);
        return JSON.objectNode()
                .put("total", allocatable + reserved + more)
                .put("systemReserved", reserved)
                .put("allocatable", allocatable)
                .put("reserved", allocatable - free)
                .put("free", free);
    }

    ObjectNode json() {
        ObjectNode file = JSON.objectNode().put("policyName", "Static");
        ObjectNode machine = file.putObject("machineState");
        for (NumaNodeSpec each : node.numaNodes()) {
            NumaMemory memory = memory(each);
            ObjectNode json =
                    machine.putObject(Integer.toString(each.id())).put("numberOfAssignments", memory.assignments());
            json.putObject("memoryMap").setAll(tables(each, memory));
            json.set("cells", array(memory.cells()));
        }
        ObjectNode entries = file.putObject("entries");
        state.byPod()
                .forEach((pod, containers) -> containers.forEach((container, blocks) -> {
                    ArrayNode array = entries.withObjectProperty(pod).putArray(container);
                    blocks.forEach(block -> array.addObject()
                            .put("type", block.type())
                            .put("size", block.sizeBytes())
                            .set("numaAffinity", array(AffinityMask.of(block.numaNodes()))));
                }));
        file.put("checksum", 0);
        return file.put("checksum", CHECKPOINT.checksum("*state.MemoryManagerCheckpoint", file));
    }

    private NumaMemory memory(NumaNodeSpec numaNode) {
        return requireNonNull(state.nodes().get(numaNode.id()));
    }

    private static ArrayNode array(AffinityMask numaNodes) {
        ArrayNode ids = JSON.arrayNode();
        numaNodes.ids().forEach(ids::add);
        return ids;
    }
}
