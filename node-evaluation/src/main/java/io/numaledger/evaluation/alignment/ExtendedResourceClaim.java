package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.claim.DeviceClass;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.DeviceRequest.Alternative;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.Function;

import static io.numaledger.topology.Sorted.sortedSet;

/**
 * The claim that kube-scheduler makes for the extended resources of a pod that DeviceClasses serve and no device plugin of the node has
 * (kube-scheduler's dynamicresources/extendeddynamicresources.go). Before bind it exists in kube-scheduler only.
 */
public final class ExtendedResourceClaim {

    /** The end of the claim's name, after the pod's name, so that pods have different ones. The claim that kube-scheduler creates has another. */
    private static final String NAME = "<extended-resources>";

    private ExtendedResourceClaim() {}

    /** The served extended resources that a pod requests. */
    public static SortedSet<String> requested(PodRequest pod, Collection<String> served) {
        return served.isEmpty()
                ? Collections.emptySortedSet()
                : sortedSet(pod.inAllocationOrder().stream()
                        .flatMap(container -> container.resources().requests().entrySet().stream())
                        .filter(request -> !request.getValue().isZero() && served.contains(request.getKey()))
                        .map(request -> request.getKey())
                        .distinct()
                        .toList());
    }

    /** The claim for these resources: a request for each of them and each container. */
    public static ResourceClaim of(
            String namespace,
            PodRequest pod,
            SortedSet<String> resources,
            Function<String, Optional<DeviceClass>> classOf) {
        List<DeviceRequest> requests = new ArrayList<>();
        resources.forEach(resource ->
                classOf.apply(resource).ifPresent(known -> requests.addAll(requests(pod, resource, known.name()))));
        requests.sort(Comparator.comparing(DeviceRequest::name));
        return new ResourceClaim(
                namespace,
                pod.name() + NAME,
                "",
                requests,
                List.of(),
                Optional.empty(),
                Collections.emptySortedSet(),
                List.of());
    }

    /** The requests: one for each container that stays, and one for the largest rest of those that end, which use what later ones get. */
    private static List<DeviceRequest> requests(PodRequest pod, String resource, String deviceClass) {
        List<ContainerRequest> containers = pod.inAllocationOrder();
        List<DeviceRequest> requests = new ArrayList<>();
        long lasting = 0;
        long largest = 0;
        int ending = 0;
        for (int at = containers.size() - 1; at >= 0; at--) {
            long count = count(containers.get(at), resource);
            if (containers.get(at).kind() != Kind.PLAIN_INIT) {
                lasting += count;
                if (count > 0) {
                    requests.add(request(containers, at, resource, deviceClass, count));
                }
            } else if (count - lasting >= largest) {
                largest = count - lasting;
                ending = at;
            }
        }
        if (largest > 0) {
            requests.add(request(containers, ending, resource, deviceClass, largest));
        }
        return requests;
    }

    private static long count(ContainerRequest container, String resource) {
        return container
                .resources()
                .requests()
                .getOrDefault(resource, RequestedAmount.ZERO)
                .whole();
    }

    /** A request. Its name decides the order in which devices are allocated. */
    private static DeviceRequest request(
            List<ContainerRequest> containers, int at, String resource, String deviceClass, long count) {
        String name = "container-%d-request-%d"
                .formatted(
                        at,
                        containers
                                .get(at)
                                .resources()
                                .requests()
                                .headMap(resource)
                                .size());
        Alternative wanted = new Alternative(
                "",
                deviceClass,
                List.of(),
                AllocationMode.EXACT_COUNT,
                count,
                false,
                List.of(),
                Collections.emptySortedMap());
        return new DeviceRequest(name, List.of(wanted));
    }
}
