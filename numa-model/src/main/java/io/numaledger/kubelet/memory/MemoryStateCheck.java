package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.KubeletRules.PodLevel;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.AffinityMask;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * What the Static policy checks of the state file when it starts (cm/memorymanager/policy_static.go, validateState): the file's
 * tables must be those that the assignments in it give on this machine with this reservation. The kubelet compares the sizes of
 * the NUMA nodes and the reservation, too; here only what is left of them, which containers may have.
 */
final class MemoryStateCheck {

    private static final String DIFFERENT = "[memorymanager] the expected machine state is different from the real one";

    private final KubeletRules rules;
    private final MemoryState empty;

    MemoryStateCheck(KubeletRules rules, MemoryState empty) {
        this.rules = rules;
        this.empty = empty;
    }

    /** What of a state this kubelet reads from the file; pods as a whole only where it manages them. */
    MemoryState read(MemoryState file) {
        return (rules.podLevel() == PodLevel.MANAGED ? file : file.ofContainers()).withReusable(ReusableMemory.NONE);
    }

    /** The kubelet's error; empty: it starts over this state. */
    Optional<String> objection(MemoryState read) {
        MemoryState expected = empty;
        for (var pod : read.byPod().entrySet()) {
            SortedMap<String, List<MemoryBlock>> blocks = read.podBlocks().containsKey(pod.getKey())
                    ? new TreeMap<>(Map.of("", read.podBlocks().get(pod.getKey())))
                    : pod.getValue();
            for (var container : blocks.entrySet()) {
                for (MemoryBlock block : container.getValue()) {
                    Optional<String> unknown = unknown(pod.getKey(), container.getKey(), block);
                    if (unknown.isPresent()) {
                        return unknown;
                    }
                    expected = expected.charge(AffinityMask.of(block.numaNodes()), block.type(), block.sizeBytes());
                }
            }
        }
        return areEqual(read.nodes(), expected.nodes()) ? Optional.empty() : Optional.of(DIFFERENT);
    }

    /** The kubelet names the pod by its UID. */
    private Optional<String> unknown(String pod, String container, MemoryBlock block) {
        for (int id : block.numaNodes()) {
            NumaMemory node = empty.nodes().get(id);
            if (node == null || !node.knows(block.type())) {
                return Optional.of(
                        "[memorymanager] (pod: %s, container: %s) the memory assignment uses %s that does not exist"
                                .formatted(pod, container, node == null ? "the NUMA" : "memory resource"));
            }
        }
        return Optional.empty();
    }

    private boolean areEqual(SortedMap<Integer, NumaMemory> read, SortedMap<Integer, NumaMemory> expected) {
        return read.keySet().equals(expected.keySet())
                && read.entrySet().stream()
                        .allMatch(node -> areEqual(
                                node.getKey(),
                                node.getValue(),
                                requireNonNull(expected.get(node.getKey())),
                                read,
                                expected));
    }

    private boolean areEqual(
            int id,
            NumaMemory read,
            NumaMemory expected,
            SortedMap<Integer, NumaMemory> allRead,
            SortedMap<Integer, NumaMemory> allExpected) {
        Collection<Integer> compared = rules.version().comparesMemoryOfGroups()
                ? read.cells().ids().boxed().toList()
                : List.of(id);
        return read.assignments() == expected.assignments()
                && read.cells().equals(expected.cells())
                && read.allocatable().equals(expected.allocatable())
                && read.free().keySet().stream()
                        .allMatch(type -> free(allRead, compared, type) == free(allExpected, compared, type));
    }

    /** What is allocatable being equal, what is free decides. */
    private static long free(SortedMap<Integer, NumaMemory> nodes, Collection<Integer> ids, String type) {
        return ids.stream()
                .mapToLong(id -> requireNonNull(nodes.get(id)).free().getOrDefault(type, 0L))
                .sum();
    }
}
