package io.numaledger.kubelet.memory;

import io.numaledger.placement.MemoryBlock;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What plain init containers leave to the containers after them: only a block over exactly the same NUMA nodes can have
 * it (cm/memorymanager/policy_static.go, initContainersReusableMemory).
 *
 * @param bytes by NUMA nodes and type
 */
record ReusableMemory(SortedMap<Key, Long> bytes) {

    /** The NUMA nodes of a block, and its type. */
    record Key(AffinityMask mask, String type) implements Comparable<Key> {

        static Key of(MemoryBlock block) {
            return new Key(AffinityMask.of(block.numaNodes()), block.type());
        }

        @Override
        public int compareTo(Key other) {
            int byMask = Long.compareUnsigned(mask.bits(), other.mask.bits());
            return byMask != 0 ? byMask : type.compareTo(other.type);
        }
    }

    static final ReusableMemory NONE = new ReusableMemory(Collections.emptySortedMap());

    ReusableMemory {
        bytes = Sorted.sorted(bytes);
    }

    /** The masks for which there is some. */
    Stream<AffinityMask> masks() {
        return bytes.keySet().stream().map(Key::mask).distinct();
    }

    long of(AffinityMask mask, String type) {
        return bytes.isEmpty() ? 0 : bytes.getOrDefault(new Key(mask, type), 0L);
    }

    /** Init containers run one after the other: the largest counts. */
    ReusableMemory plus(List<MemoryBlock> blocks) {
        SortedMap<Key, Long> changed = new TreeMap<>(bytes);
        blocks.forEach(block -> changed.merge(Key.of(block), block.sizeBytes(), Math::max));
        return new ReusableMemory(changed);
    }

    ReusableMemory minus(List<MemoryBlock> blocks) {
        SortedMap<Key, Long> changed = new TreeMap<>(bytes);
        blocks.forEach(block ->
                changed.computeIfPresent(Key.of(block), (key, left) -> Math.max(0, left - block.sizeBytes())));
        return new ReusableMemory(changed);
    }
}
