package io.numaledger.pod;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/** A pod's quality of service class: only {@code GUARANTEED} pods get CPUs and memory of their own. */
public enum QosClass {
    GUARANTEED("Guaranteed"),
    BURSTABLE("Burstable"),
    BEST_EFFORT("BestEffort");

    private static final List<String> COMPUTE = List.of("cpu", "memory");

    private final String text;

    QosClass(String text) {
        this.text = text;
    }

    /**
     * Reads the text of one.
     *
     * @throws IllegalArgumentException naming the text, when it is none of the three
     */
    public static QosClass parse(String text) {
        for (QosClass each : values()) {
            if (each.text.equals(text)) {
                return each;
            }
        }
        throw new IllegalArgumentException(
                "not a QoS class: qosClass='%s'; use Guaranteed, Burstable or BestEffort".formatted(text));
    }

    /**
     * The class that the API server gives a pod: by the pod's own resources where it has some, otherwise Guaranteed when
     * every container has limits for cpu and memory and all requests are equal to them
     * (pkg/apis/core/v1/helper/qos/qos.go). Releases before 1.37 give BestEffort to a pod with empty resources of its own.
     */
    public static QosClass compute(Optional<Resources> podLevel, List<ContainerRequest> containers) {
        List<Resources> parts = podLevel.filter(own -> !own.isEmpty())
                .map(List::of)
                .orElseGet(() ->
                        containers.stream().map(ContainerRequest::resources).toList());
        SortedMap<String, RequestedAmount> requests = new TreeMap<>();
        SortedMap<String, RequestedAmount> limits = new TreeMap<>();
        boolean allLimited = true;
        for (Resources part : parts) {
            allLimited &= COMPUTE.stream().allMatch(name -> positive(part.limits(), name));
            for (String name : COMPUTE) {
                add(part.requests(), name, requests);
                add(part.limits(), name, limits);
            }
        }
        if (requests.isEmpty() && limits.isEmpty()) {
            return BEST_EFFORT;
        }
        boolean equal = requests.keySet().equals(limits.keySet())
                && requests.entrySet().stream()
                        .allMatch(entry -> entry.getValue().compareTo(requireNonNull(limits.get(entry.getKey()))) == 0);
        return allLimited && equal ? GUARANTEED : BURSTABLE;
    }

    private static boolean positive(SortedMap<String, RequestedAmount> amounts, String name) {
        return amounts.getOrDefault(name, RequestedAmount.ZERO).compareTo(RequestedAmount.ZERO) > 0;
    }

    private static void add(
            SortedMap<String, RequestedAmount> from, String name, SortedMap<String, RequestedAmount> into) {
        if (positive(from, name)) {
            into.merge(name, from.get(name), RequestedAmount::plus);
        }
    }

    @Override
    public String toString() {
        return text;
    }
}
