package io.numaledger.kubelet.memory;

import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;

import static java.util.Objects.requireNonNull;

/**
 * What the Memory Manager remembers (cm/memorymanager/state).
 *
 * @param nodes NUMA node id → its memory
 * @param byPod pod → container → its blocks, one per type
 * @param podBlocks pod → blocks of the pod as a whole; its containers' blocks are parts of these
 * @param reusable memory of plain init containers that later containers of the pod in admission may have; empty otherwise
 */
public record MemoryState(
        SortedMap<Integer, NumaMemory> nodes,
        SortedMap<String, SortedMap<String, List<MemoryBlock>>> byPod,
        SortedMap<String, List<MemoryBlock>> podBlocks,
        ReusableMemory reusable) {

    public MemoryState {
        nodes = Sorted.sorted(nodes);
        byPod = Sorted.sorted(byPod, Sorted::sorted);
        podBlocks = Sorted.sorted(podBlocks);
    }

    static MemoryState empty(SortedMap<Integer, NumaMemory> nodes) {
        return new MemoryState(nodes, Collections.emptySortedMap(), Collections.emptySortedMap(), ReusableMemory.NONE);
    }

    /** This state without the names of the holders; see {@link io.numaledger.kubelet.NodeState#anonymous}. */
    public MemoryState anonymous() {
        return empty(nodes);
    }

    /** This state without what pods hold as a whole, beside what their containers do. The tables stay as they are. */
    public MemoryState ofContainers() {
        return new MemoryState(nodes, byPod, Collections.emptySortedMap(), reusable);
    }

    boolean holds(String pod, String container) {
        return byPod.containsKey(pod) && byPod.get(pod).containsKey(container);
    }

    /** A container's blocks, sorted by type; empty: it has none. */
    public List<MemoryBlock> heldBy(String pod, String container) {
        SortedMap<String, List<MemoryBlock>> containers = byPod.get(pod);
        return containers == null ? List.of() : containers.getOrDefault(container, List.of());
    }

    MemoryState with(String pod, String container, List<MemoryBlock> blocks) {
        SortedMap<String, List<MemoryBlock>> containers = Sorted.with(
                byPod.getOrDefault(pod, Collections.emptySortedMap()), container, Sorted.sortedList(blocks));
        return new MemoryState(nodes, Sorted.with(byPod, pod, containers), podBlocks, reusable);
    }

    MemoryState withPodBlocks(String pod, List<MemoryBlock> blocks) {
        return new MemoryState(
                nodes,
                byPod,
                Sorted.with(podBlocks, pod, blocks.stream().sorted().toList()),
                reusable);
    }

    MemoryState withReusable(ReusableMemory changed) {
        return changed.equals(reusable) ? this : new MemoryState(nodes, byPod, podBlocks, changed);
    }

    /** Takes a block from its nodes: the lowest id gives first, as much as it has. */
    MemoryState charge(AffinityMask mask, String type, long bytes) {
        SortedMap<Integer, NumaMemory> changed = nodes;
        long rest = bytes;
        for (int id : mask.ids().toArray()) {
            NumaMemory node = requireNonNull(changed.get(id));
            long part = smaller(rest, requireNonNull(node.free().get(type)));
            changed = Sorted.with(changed, id, node.assign(mask, type, part));
            rest -= part;
        }
        return new MemoryState(changed, byPod, podBlocks, reusable);
    }

    /** Gives blocks back: the lowest id first, as much as it has given to whomever. */
    MemoryState credit(List<MemoryBlock> blocks) {
        SortedMap<Integer, NumaMemory> changed = nodes;
        for (MemoryBlock block : blocks) {
            long rest = block.sizeBytes();
            for (int id : block.numaNodes()) {
                NumaMemory node = requireNonNull(changed.get(id));
                long part = smaller(rest, node.reserved(block.type()));
                changed = Sorted.with(changed, id, node.release(AffinityMask.of(id), block.type(), part));
                rest -= part;
            }
        }
        return new MemoryState(changed, byPod, podBlocks, reusable);
    }

    private static long smaller(long a, long b) {
        return Long.compareUnsigned(a, b) < 0 ? a : b;
    }

    /** RemoveContainer. The blocks of a pod that is placed as a whole go with its last container. */
    MemoryState without(String pod, String container) {
        if (!holds(pod, container)) {
            return this;
        }
        List<MemoryBlock> blocks = heldBy(pod, container);
        SortedMap<String, List<MemoryBlock>> containers = Sorted.without(requireNonNull(byPod.get(pod)), container);
        MemoryState left = new MemoryState(
                nodes,
                containers.isEmpty() ? Sorted.without(byPod, pod) : Sorted.with(byPod, pod, containers),
                podBlocks,
                reusable);
        if (!podBlocks.containsKey(pod)) {
            return left.credit(blocks);
        }
        return containers.isEmpty() ? left.withoutPodBlocks(pod).credit(podBlocks.get(pod)) : left;
    }

    private MemoryState withoutPodBlocks(String pod) {
        return new MemoryState(nodes, byPod, Sorted.without(podBlocks, pod), reusable);
    }

    MemoryState without(String pod) {
        MemoryState left = this;
        for (String container :
                byPod.getOrDefault(pod, Collections.emptySortedMap()).keySet()) {
            left = left.without(pod, container);
        }
        return left;
    }
}
