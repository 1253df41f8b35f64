package io.numaledger.kubelet.memory;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;

import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/** Divides the memory of a pod among its containers (cm/memorymanager/policy_static.go, AllocatePod, from step 4). */
record PodMemoryPartition(MemoryRequests requests, PodRequest pod, AffinityMask mask) {

    MemoryState divide(MemoryState state, SortedMap<String, Long> total) {
        SortedMap<String, SortedMap<String, Long>> own = new TreeMap<>();
        SortedMap<String, Long> open = new TreeMap<>(total);
        for (ContainerRequest container : pod.inAllocationOrder()) {
            SortedMap<String, Long> request = requests.of(pod, container).orElse(Collections.emptySortedMap());
            if (!request.isEmpty()) {
                own.put(container.name(), positive(request));
                if (container.kind() != Kind.PLAIN_INIT) {
                    request.forEach((type, bytes) -> open.merge(type, -bytes, Long::sum));
                }
            } else if (container.kind() == Kind.PLAIN_INIT) {
                own.put(container.name(), positive(open));
            }
        }
        MemoryState after = state;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            SortedMap<String, Long> part = own.getOrDefault(container.name(), positive(open));
            after = after.with(pod.name(), container.name(), MemoryAllocator.blocks(mask, part));
        }
        return after;
    }

    private static SortedMap<String, Long> positive(SortedMap<String, Long> amounts) {
        SortedMap<String, Long> kept = new TreeMap<>(amounts);
        kept.values().removeIf(bytes -> bytes <= 0);
        return kept;
    }
}
