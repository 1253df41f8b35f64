package io.numaledger.placement;

import io.numaledger.resource.Saturating;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Divides a memory block of several NUMA nodes among them. The kubelet fills the lowest node first of what is
 * free (cm/memorymanager/policy_static.go), but it shows only the whole block, so the split depends on the order in
 * which blocks came. A split that was written once is therefore kept; new blocks fill up what is left, in the order
 * in which they are requested. Only the sum over a block's nodes is exact.
 */
final class MemorySplit {

    /** type → NUMA node → bytes that no block holds yet; may be short of what blocks ask where the sources disagree. */
    private final Map<String, TreeMap<Integer, Long>> free = new TreeMap<>();

    MemorySplit(List<MemoryBlock> allocatable) {
        for (MemoryBlock block : allocatable) {
            if (block.numaNodes().size() == 1) {
                freeOf(block.type()).merge(block.numaNodes().first(), block.sizeBytes(), Saturating::add);
            }
        }
    }

    private TreeMap<Integer, Long> freeOf(String type) {
        return free.computeIfAbsent(type, any -> new TreeMap<>());
    }

    void take(String type, int numaNode, long bytes) {
        freeOf(type).merge(numaNode, -bytes, Saturating::add);
    }

    /** Takes free bytes of these nodes, lowest node first. Bytes that fit nowhere are charged to the lowest node. */
    SortedMap<Integer, Long> fill(String type, SortedSet<Integer> numaNodes, long bytes) {
        TreeMap<Integer, Long> parts = new TreeMap<>();
        long rest = bytes;
        for (int node : numaNodes) {
            long part = Math.min(rest, Math.max(0, freeOf(type).getOrDefault(node, 0L)));
            if (part > 0) {
                parts.put(node, part);
                rest -= part;
            }
        }
        if (rest > 0) {
            parts.merge(numaNodes.first(), rest, Saturating::add);
        }
        parts.forEach((node, part) -> take(type, node, part));
        return parts;
    }

    /**
     * The part of an earlier record that is the split of these blocks, if it still is one: nothing outside their nodes
     * (but for what single-node blocks hold there) and the same sum. Empty if it is none.
     *
     * @param single bytes per node that the pod's single-node blocks of this type hold
     * @param shared the pod's blocks of several nodes, all of this type
     */
    static SortedMap<Integer, Long> kept(
            Placement earlier, String type, Map<Integer, Long> single, List<MemoryBlock> shared) {
        TreeSet<Integer> nodes = new TreeSet<>();
        shared.forEach(block -> nodes.addAll(block.numaNodes()));
        long sum = shared.stream().mapToLong(MemoryBlock::sizeBytes).reduce(0, Saturating::add);
        TreeMap<Integer, Long> parts = new TreeMap<>();
        for (int node : earlier.zones().keySet()) {
            long part = Saturating.subtract(earlier.on(node).get(type), single.getOrDefault(node, 0L));
            if (part < 0 || (part > 0 && !nodes.contains(node))) {
                return new TreeMap<>();
            }
            if (part > 0) {
                parts.put(node, part);
            }
        }
        boolean oneSet = shared.stream().map(MemoryBlock::numaNodes).distinct().count() == 1;
        long found = parts.values().stream().mapToLong(Long::longValue).reduce(0, Saturating::add);
        return oneSet && found == sum ? parts : new TreeMap<>();
    }
}
