package io.numaledger.kubelet.memory;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;

import java.util.Collections;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Whether the containers' own memory fits into that of their pod and leaves some to the containers that share
 * (cm/memorymanager/policy_static.go, validatePodScopeResources; 1.36 with {@code PodLevelResourceManagers}).
 */
record PodMemoryBudget(MemoryRequests requests, PodRequest pod, SortedMap<String, Long> total) {

    /** The kubelet's sentence, for the first type by name; empty when all is well. */
    Optional<String> violation() {
        SortedMap<String, Long> exclusive = new TreeMap<>();
        boolean someShare = false;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            SortedMap<String, Long> own = requests.of(pod, container).orElse(Collections.emptySortedMap());
            if (container.kind() == Kind.PLAIN_INIT) {
                Optional<String> violation = plainInit(own, exclusive);
                if (violation.isPresent()) {
                    return violation;
                }
            } else {
                someShare |= own.isEmpty();
                own.forEach((type, bytes) -> exclusive.merge(type, bytes, Long::sum));
            }
        }
        return someShare
                ? exhausted(exclusive)
                        .map(
                                "pod rejected, sum of exclusive container %s requests equals pod budget, leaving no memory for shared containers"
                                        ::formatted)
                : Optional.empty();
    }

    private Optional<String> plainInit(SortedMap<String, Long> own, SortedMap<String, Long> exclusive) {
        if (own.isEmpty()) {
            return exhausted(exclusive)
                    .map("pod rejected, pod has shared init containers but no %s available for them"::formatted);
        }
        return total.entrySet().stream()
                .filter(pool -> own.getOrDefault(pool.getKey(), 0L) > left(pool.getKey(), exclusive))
                .findFirst()
                .map(pool -> "pod rejected, largest exclusive init container requests %d of %s, but only %d available"
                        .formatted(own.get(pool.getKey()), pool.getKey(), left(pool.getKey(), exclusive)));
    }

    private long left(String type, SortedMap<String, Long> exclusive) {
        return total.get(type) - exclusive.getOrDefault(type, 0L);
    }

    private Optional<String> exhausted(SortedMap<String, Long> exclusive) {
        return total.keySet().stream()
                .filter(type -> left(type, exclusive) <= 0)
                .findFirst();
    }
}
