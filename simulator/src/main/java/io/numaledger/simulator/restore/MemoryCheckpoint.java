package io.numaledger.simulator.restore;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.kubelet.memory.NumaMemory;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.resource.Hugepages;
import io.numaledger.simulator.hardware.HardwareTree;
import io.numaledger.simulator.hardware.NodeSpec;
import io.numaledger.simulator.hardware.NumaNodeSpec;
import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static java.util.Objects.requireNonNull;

/**
 * {@code memory_manager_state} (pkg/kubelet/cm/memorymanager/state/checkpoint.go, MemoryManagerCheckpointV1): who has which memory. The
 * kubelet starts only if the tables are those that it makes itself (policy_static.go, validateState).
 */
final class MemoryCheckpoint {

    private static final JsonNodeFactory JSON = JsonNodeFactory.instance;
    private static final String MEMORY = "memory";

    private final NodeSpec node;
    private final MemoryState state;

    /** @param state pods are named by their UIDs */
    MemoryCheckpoint(NodeSpec node, MemoryState state) {
        this.node = node;
        this.state = state;
    }

    /** Memory of one type on one NUMA node. */
    private record Table(long total, long systemReserved, long allocatable, long free) {

        long reserved() {
            return allocatable - free;
        }

        String text() {
            return "<*>{TotalMemSize:(uint64)%d SystemReserved:(uint64)%d Allocatable:(uint64)%d Reserved:(uint64)%d Free:(uint64)%d}"
                    .formatted(total, systemReserved, allocatable, reserved(), free);
        }

        ObjectNode json() {
            return JSON.objectNode()
                    .put("total", total)
                    .put("systemReserved", systemReserved)
                    .put("allocatable", allocatable)
                    .put("reserved", reserved())
                    .put("free", free);
        }
    }

    /** Hugepages are a part of the memory, and no part of what is allocatable of it (getDefaultMachineState, policy_static.go). */
    private SortedMap<String, Table> tables(NumaNodeSpec numaNode, NumaMemory memory) {
        SortedMap<String, Table> tables = new TreeMap<>();
        long huge = 0;
        for (var pages : HardwareTree.hugepages(numaNode).entrySet()) {
            Table table = table(Hugepages.resource(pages.getKey()), 0, numaNode.id(), memory);
            tables.put(Hugepages.resource(pages.getKey()), table);
            huge += table.total();
        }
        tables.put(MEMORY, table(MEMORY, huge, numaNode.id(), memory));
        return tables;
    }

    private Table table(String type, long more, int numaNode, NumaMemory memory) {
        long reserved = node.kubelet().memoryManager().reserved(numaNode, type);
        long allocatable = memory.allocatable().getOrDefault(type, 0L);
        return new Table(
                allocatable + reserved + more,
                reserved,
                allocatable,
                memory.free().getOrDefault(type, 0L));
    }

    ObjectNode json() {
        ObjectNode file = JSON.objectNode().put("policyName", "Static");
        ObjectNode machine = file.putObject("machineState");
        for (NumaNodeSpec each : node.numaNodes()) {
            NumaMemory memory = memory(each);
            ObjectNode json =
                    machine.putObject(Integer.toString(each.id())).put("numberOfAssignments", memory.assignments());
            ObjectNode types = json.putObject("memoryMap");
            tables(each, memory).forEach((type, table) -> types.set(type, table.json()));
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
        return file.put("checksum", Checksum.of(text()));
    }

    private NumaMemory memory(NumaNodeSpec numaNode) {
        return requireNonNull(state.nodes().get(numaNode.id()));
    }

    private static ArrayNode array(AffinityMask numaNodes) {
        ArrayNode ids = JSON.arrayNode();
        numaNodes.ids().forEach(ids::add);
        return ids;
    }

    private String text() {
        SortedMap<Integer, String> machine = new TreeMap<>();
        for (NumaNodeSpec each : node.numaNodes()) {
            NumaMemory memory = memory(each);
            machine.put(
                    each.id(),
                    "<*>{NumberOfAssignments:(int)%d MemoryMap:(map[v1.ResourceName]*state.MemoryTable)%s Cells:([]int)%s}"
                            .formatted(
                                    memory.assignments(),
                                    map(tables(each, memory), Table::text),
                                    ids(memory.cells().ids())));
        }
        return "(*state.MemoryManagerCheckpoint){PolicyName:(string)Static MachineState:(state.NUMANodeMap)%s Entries:(state.ContainerMemoryAssignments)%s Checksum:(checksum.Checksum)0}"
                .formatted(
                        map(machine, text -> text),
                        map(state.byPod(), containers -> map(containers, MemoryCheckpoint::text)));
    }

    private static String text(List<MemoryBlock> blocks) {
        return blocks.stream()
                .map(block -> "{NUMAAffinity:([]int)%s Type:(v1.ResourceName)%s Size:(uint64)%d}"
                        .formatted(ids(AffinityMask.of(block.numaNodes()).ids()), block.type(), block.sizeBytes()))
                .collect(Collectors.joining(" ", "[", "]"));
    }

    private static String ids(IntStream numaNodes) {
        return numaNodes.mapToObj(Integer::toString).collect(Collectors.joining(" ", "[", "]"));
    }

    private static <T> String map(SortedMap<?, T> map, Function<T, String> text) {
        return map.entrySet().stream()
                .map(each -> each.getKey() + ":" + text.apply(each.getValue()))
                .collect(Collectors.joining(" ", "map[", "]"));
    }
}
