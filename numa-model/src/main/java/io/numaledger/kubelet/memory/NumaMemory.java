package io.numaledger.kubelet.memory;

import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.Sorted;

import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;
import static java.util.Objects.requireNonNull;

/**
 * The memory of one NUMA node as the Memory Manager keeps it (cm/memorymanager/state, NUMANodeState). Bytes are unsigned:
 * the kubelet's subtractions wrap around, and so do these.
 *
 * @param cells the group that the node is in: itself alone, or all nodes of the blocks that it has a part in
 * @param assignments how many blocks have a part in it
 * @param allocatable bytes that containers may have, by type
 * @param free bytes that no container has, by type
 */
public record NumaMemory(
        AffinityMask cells, int assignments, SortedMap<String, Long> allocatable, SortedMap<String, Long> free) {

    public NumaMemory {
        allocatable = sorted(allocatable);
        free = sorted(free);
        if (!allocatable.keySet().equals(free.keySet())) {
            throw new IllegalArgumentException(
                    "allocatable and free name the same types: allocatable=%s free=%s; name each type in both"
                            .formatted(allocatable.keySet(), free.keySet()));
        }
    }

    boolean knows(String type) {
        return free.containsKey(type);
    }

    /** This mask of several nodes would mix blocks with those that have a part in this node. */
    public boolean breaks(AffinityMask mask) {
        return assignments > 0 && (cells.count() == 1 || !cells.equals(mask));
    }

    /** One more block, of which this node gives {@code bytes}. */
    NumaMemory assign(AffinityMask group, String type, long bytes) {
        return new NumaMemory(group, assignments + 1, allocatable, plus(type, -bytes));
    }

    /** One block less; the node leaves its group with the last one. */
    NumaMemory release(AffinityMask alone, String type, long bytes) {
        AffinityMask group = assignments == 1 ? alone : cells;
        return new NumaMemory(group, assignments - 1, allocatable, plus(type, bytes));
    }

    long reserved(String type) {
        return requireNonNull(allocatable.get(type)) - requireNonNull(free.get(type));
    }

    private SortedMap<String, Long> plus(String type, long bytes) {
        if (bytes == 0) {
            return free;
        }
        return Sorted.with(free, type, requireNonNull(free.get(type)) + bytes);
    }
}
