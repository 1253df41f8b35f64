package io.numaledger.kubelet.memory;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * Whether the containers' own memory leaves some of the pod's memory to the containers that share
 * (cm/memorymanager/policy_static.go, validatePodScopeResources; 1.36 with {@code PodLevelResourceManagers}).
 */
record PodMemoryBudget(MemoryRequests requests, PodRequest pod, SortedMap<String, Long> total) {

    /** The kubelet's sentence, for the first type by name; empty when all is well. */
    Optional<String> violation() {
        SortedMap<String, Long> exclusive = new TreeMap<>();
        boolean someShare = false;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            Optional<SortedMap<String, Long>> own = requests.of(pod, container);
            if (own.isEmpty()) {
                return Optional.of(MemoryRequests.UNREADABLE);
            }
            if (container.kind() != Kind.PLAIN_INIT) {
                someShare |= own.get().isEmpty();
                own.get().forEach((type, bytes) -> exclusive.merge(type, bytes, Long::sum));
            } else if (own.get().isEmpty() && exhausted(exclusive).isPresent()) {
                return exhausted(exclusive)
                        .map("pod rejected, pod has shared init containers but no %s available for them"::formatted);
            }
        }
        return someShare
                ? exhausted(exclusive)
                        .map(
                                "pod rejected, sum of exclusive container %s requests equals pod budget, leaving no memory for shared containers"
                                        ::formatted)
                : Optional.empty();
    }

    private Optional<String> exhausted(SortedMap<String, Long> exclusive) {
        return total.keySet().stream()
                .filter(type -> exclusive.getOrDefault(type, 0L) >= requireNonNull(total.get(type)))
                .findFirst();
    }
}
