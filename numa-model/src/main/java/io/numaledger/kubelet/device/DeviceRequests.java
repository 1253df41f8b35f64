package io.numaledger.kubelet.device;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;

import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The number of devices that a container or pod requests, by resource: from the limits, whatever its QoS class, and only resources
 * of a device plugin. A request of 0 counts as one.
 */
final class DeviceRequests {

    private final Set<String> resources;
    private final boolean sidecarsAddUp;
    private final boolean sidecarsKeep;

    DeviceRequests(KubeletRules rules, Set<String> resources) {
        this.resources = resources;
        this.sidecarsAddUp = rules.version().sidecarsCountInDeviceTotals();
        this.sidecarsKeep = rules.version().sidecarsKeepWhatTheyHold();
    }

    boolean isReusable(ContainerRequest container) {
        return container.kind() == Kind.PLAIN_INIT || (container.kind() == Kind.SIDECAR && !sidecarsKeep);
    }

    SortedMap<String, Integer> of(ContainerRequest container) {
        SortedMap<String, Integer> counts = new TreeMap<>();
        container.resources().limits().forEach((resource, quantity) -> {
            if (resources.contains(resource)) {
                counts.put(resource, (int) Math.min(Integer.MAX_VALUE, quantity.whole()));
            }
        });
        return counts;
    }

    SortedMap<String, Integer> ofPod(PodRequest pod) {
        SortedMap<String, Integer> lasting = new TreeMap<>();
        SortedMap<String, Integer> largestInit = new TreeMap<>();
        for (ContainerRequest init : pod.initContainers()) {
            boolean stays = init.kind() == Kind.SIDECAR && sidecarsAddUp;
            of(init).forEach((resource, count) -> {
                if (stays) {
                    lasting.merge(resource, count, Integer::sum);
                } else {
                    largestInit.merge(resource, lasting.getOrDefault(resource, 0) + count, Math::max);
                }
            });
        }
        pod.containers()
                .forEach(app -> of(app).forEach((resource, count) -> lasting.merge(resource, count, Integer::sum)));
        largestInit.forEach((resource, count) -> lasting.merge(resource, count, Math::max));
        return lasting;
    }
}
