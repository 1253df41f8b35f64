package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.resource.ResourceKind;

import java.util.Collections;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The memory and hugepages that a container or pod requests, in bytes by type (cm/memorymanager/policy_static.go,
 * getContainerRequestedResources, getPodRequestedResources). An amount that the kubelet cannot read, such as
 * {@code 1.5Gi}, makes the whole request absent.
 */
final class MemoryRequests {

    static final String MEMORY = "memory";

    /** The kubelet's sentence about an amount that it cannot read. */
    static final String UNREADABLE = "[memorymanager] failed to represent quantity as int64";

    private static final SortedMap<String, Long> NOTHING = Collections.emptySortedMap();

    private final KubeletRules rules;

    MemoryRequests(KubeletRules rules) {
        this.rules = rules;
    }

    boolean leavesAlone(PodRequest pod) {
        return rules.leavesAlone(pod);
    }

    boolean managesAsAWhole(PodRequest pod) {
        return rules.managesAsAWhole(pod);
    }

    /** The container only shares in the pod's memory, and this kubelet gives it none of its own. */
    boolean leavesAlone(PodRequest pod, ContainerRequest container) {
        return leavesAlone(pod)
                || (managesAsAWhole(pod)
                        && rules.version().skipsContainersWithoutMemory()
                        && of(pod, container).filter(bytes -> bytes.isEmpty()).isPresent());
    }

    /** The pod has memory as a whole, and this kubelet leaves it that after a restart. */
    boolean keepsPod(MemoryState state, PodRequest pod) {
        return rules.version().keepsMemoryOfPods()
                && managesAsAWhole(pod)
                && state.podBlocks().containsKey(pod.name());
    }

    boolean regeneratesByContainer() {
        return rules.version().regeneratesMemoryHintsByContainer();
    }

    boolean isReusable(ContainerRequest container) {
        return container.kind() == Kind.PLAIN_INIT
                || (container.kind() == Kind.SIDECAR && !rules.version().sidecarsKeepWhatTheyHold());
    }

    Optional<SortedMap<String, Long>> of(PodRequest pod, ContainerRequest container) {
        boolean shares = managesAsAWhole(pod) && !container.resources().isGuaranteedByItself();
        return shares ? Optional.of(NOTHING) : read(container.resources().requests());
    }

    private Optional<SortedMap<String, Long>> read(SortedMap<String, RequestedAmount> requests) {
        SortedMap<String, Long> bytes = new TreeMap<>();
        for (var request : requests.entrySet()) {
            if (isMemory(request.getKey())) {
                OptionalLong value =
                        request.getValue().readAsInt64(rules.version().digitsOfWholeNumbers());
                if (value.isEmpty()) {
                    return Optional.empty();
                }
                bytes.put(request.getKey(), value.getAsLong());
            }
        }
        return Optional.of(bytes);
    }

    private static boolean isMemory(String resource) {
        return ResourceKind.of(resource) == ResourceKind.MEMORY;
    }

    /** The total of all containers; before 1.38, types that no app container requests do not count. */
    Optional<SortedMap<String, Long>> ofPod(PodRequest pod) {
        if (managesAsAWhole(pod)) {
            Optional<SortedMap<String, Long>> own =
                    read(pod.podLevel().orElseThrow().requests());
            own.ifPresent(bytes -> bytes.values().removeIf(size -> size <= 0));
            return own;
        }
        SortedMap<String, Long> sidecars = new TreeMap<>();
        SortedMap<String, Long> largestInit = new TreeMap<>();
        SortedMap<String, Long> apps = new TreeMap<>();
        for (ContainerRequest container : pod.inAllocationOrder()) {
            Optional<SortedMap<String, Long>> request = of(pod, container);
            if (request.isEmpty()) {
                return Optional.empty();
            }
            request.get().forEach((type, bytes) -> {
                if (isReusable(container)) {
                    largestInit.merge(type, sidecars.getOrDefault(type, 0L) + bytes, Math::max);
                } else {
                    (container.kind() == Kind.APP ? apps : sidecars).merge(type, bytes, Long::sum);
                }
            });
        }
        if (rules.version().countsMemoryTypesOfInitContainers()) {
            sidecars.keySet().forEach(type -> apps.putIfAbsent(type, 0L));
            largestInit.keySet().forEach(type -> apps.putIfAbsent(type, 0L));
        }
        apps.replaceAll(
                (type, bytes) -> Math.max(bytes + sidecars.getOrDefault(type, 0L), largestInit.getOrDefault(type, 0L)));
        return Optional.of(apps);
    }
}
