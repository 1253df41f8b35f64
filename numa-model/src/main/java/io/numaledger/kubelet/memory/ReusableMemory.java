package io.numaledger.kubelet.memory;

import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What plain init containers leave to the containers after them: only a block over exactly the same NUMA nodes can have
 * it (cm/memorymanager/policy_static.go, initContainersReusableMemory).
 *
 * @param bytes {@code mask/type} → bytes
 */
record ReusableMemory(SortedMap<String, Long> bytes) {

    static final ReusableMemory NONE = new ReusableMemory(Collections.emptySortedMap());

    ReusableMemory {
        bytes = Sorted.sorted(bytes);
    }

    private static String key(AffinityMask mask, String type) {
        return mask + "/" + type;
    }

    private static String key(MemoryBlock block) {
        return key(AffinityMask.of(block.numaNodes()), block.type());
    }

    long of(AffinityMask mask, String type) {
        return bytes.isEmpty() ? 0 : bytes.getOrDefault(key(mask, type), 0L);
    }

    /** Init containers run one after the other: the largest counts. */
    ReusableMemory plus(List<MemoryBlock> blocks) {
        SortedMap<String, Long> changed = new TreeMap<>(bytes);
        blocks.forEach(block -> changed.merge(key(block), block.sizeBytes(), Math::max));
        return new ReusableMemory(changed);
    }

    ReusableMemory minus(List<MemoryBlock> blocks) {
        SortedMap<String, Long> changed = new TreeMap<>(bytes);
        blocks.forEach(block ->
                changed.computeIfPresent(key(block), (key, left) -> Math.max(0, left - block.sizeBytes())));
        return new ReusableMemory(changed);
    }
}
