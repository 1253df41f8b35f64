package io.numaledger.objects;

import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a kubelet reports of the resources of one container, or of a pod with resources of its own. The owner of a pod cannot write it.
 *
 * @param allocated {@code allocatedResources} of the status; absent before the container runs
 * @param actual {@code resources} of the status; absent before the container runs
 */
record ReportedResources(Optional<SortedMap<String, RequestedAmount>> allocated, Optional<Resources> actual) {

    static final ReportedResources NONE = new ReportedResources(Optional.empty(), Optional.empty());

    /** Nothing else can be resized (pkg/apis/core/validation/validation.go, ValidatePodResize). */
    private static final List<String> RESIZABLE = List.of("cpu", "memory");

    /** Whether nothing else is reported than the spec says. */
    boolean confirms(Resources spec) {
        return allocated.filter(amounts -> !amounts.equals(spec.requests())).isEmpty()
                && actual.filter(known -> !known.requests().equals(spec.requests()))
                        .isEmpty();
    }

    /** What the kubelet has allocated: the spec itself, where the kubelet reports the same or nothing. */
    Resources allocated(Resources spec) {
        SortedMap<String, RequestedAmount> reported =
                allocated.or(() -> actual.map(Resources::requests)).orElse(spec.requests());
        SortedMap<String, RequestedAmount> requests = new TreeMap<>(spec.requests());
        SortedMap<String, RequestedAmount> limits = new TreeMap<>(spec.limits());
        for (String resource : RESIZABLE) {
            RequestedAmount amount = amount(reported, resource);
            if (amount.compareTo(amount(requests, resource)) != 0) {
                requests.put(resource, amount);
                limits.put(resource, limit(spec, resource, amount));
            }
        }
        return requests.equals(spec.requests()) ? spec : new Resources(requests, limits);
    }

    private RequestedAmount limit(Resources spec, String resource, RequestedAmount request) {
        RequestedAmount asked = amount(spec.limits(), resource);
        boolean equal = asked.compareTo(amount(spec.requests(), resource)) == 0;
        return actual.map(known -> known.limits().get(resource)).orElse(equal ? request : asked);
    }

    /**
     * What kube-scheduler counts: the greatest of spec, allocated and actual, without the spec while the resize is infeasible
     * (component-helpers, resource/helpers.go, determineEffectiveRequests). The spec itself, where nothing else is reported.
     */
    Resources nodeLevel(Resources spec, boolean infeasible) {
        return actual.isEmpty() ? spec : greatest(spec, !infeasible);
    }

    /** What can be held at most, whatever the spec asks: the greater of allocated and actual; the spec, where nothing is reported. */
    Resources held(Resources spec) {
        return greatest(spec, allocated.isEmpty() && actual.isEmpty());
    }

    private Resources greatest(Resources spec, boolean withSpec) {
        SortedMap<String, RequestedAmount> greatest =
                new TreeMap<>(withSpec ? spec.requests() : Collections.emptySortedMap());
        Stream.concat(allocated.stream(), actual.map(Resources::requests).stream())
                .flatMap(amounts -> amounts.entrySet().stream())
                .filter(each -> !each.getValue().isZero())
                .forEach(each -> greatest.merge(
                        each.getKey(), each.getValue(), (one, other) -> one.compareTo(other) >= 0 ? one : other));
        return greatest.equals(spec.requests()) ? spec : new Resources(greatest, spec.limits());
    }

    private static RequestedAmount amount(SortedMap<String, RequestedAmount> amounts, String resource) {
        return amounts.getOrDefault(resource, RequestedAmount.ZERO);
    }

    /**
     * What the kubelet reports of a whole pod, as far as it is about the pod's own resources: it adds the overhead, and the sums of resources
     * that only containers have.
     */
    ReportedResources ofPod(Resources own, SortedMap<String, RequestedAmount> overhead) {
        return new ReportedResources(
                allocated.map(amounts -> part(amounts, own.requests(), overhead)),
                actual.map(known -> new Resources(
                        part(known.requests(), own.requests(), overhead),
                        part(known.limits(), own.limits(), overhead))));
    }

    private static SortedMap<String, RequestedAmount> part(
            SortedMap<String, RequestedAmount> reported,
            SortedMap<String, RequestedAmount> own,
            SortedMap<String, RequestedAmount> overhead) {
        SortedMap<String, RequestedAmount> part = new TreeMap<>(reported);
        part.keySet().retainAll(own.keySet());
        part.replaceAll((resource, amount) -> RequestedAmount.ofMillis(
                Math.max(0, amount.millis() - amount(overhead, resource).millis())));
        return part;
    }
}
