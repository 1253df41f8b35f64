package io.numaledger.scheduling.explain;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.Hugepages;
import io.numaledger.resource.Quantity;
import io.numaledger.resource.ResourceKind;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds an amount of one resource with which a pod of one container would fit, and one unit more would not. */
final class SmallerRequest {

    private static final long MEBI = 1L << 20;

    private final PodFacts pod;
    private final ContainerRequest container;
    private final Predicate<PodFacts> fits;

    private SmallerRequest(PodFacts pod, ContainerRequest container, Predicate<PodFacts> fits) {
        this.pod = pod;
        this.container = container;
        this.fits = fits;
    }

    /**
     * Such as {@code 4 cpu}.
     *
     * @param first the resources to try before others
     * @param fits whether a pod with another request would fit
     */
    static Optional<String> of(PodFacts pod, List<String> first, Predicate<PodFacts> fits) {
        PodRequest request = pod.request();
        if (request.podLevel().isPresent() || request.inAllocationOrder().size() != 1) {
            return Optional.empty();
        }
        ContainerRequest only = request.inAllocationOrder().get(0);
        SmallerRequest search = new SmallerRequest(pod, only, fits);
        return Stream.concat(first.stream(), only.resources().requests().keySet().stream())
                .distinct()
                .flatMap(resource -> search.of(resource).stream())
                .findFirst();
    }

    private Optional<String> of(String resource) {
        long unit = unit(resource);
        long fitting = 0;
        long tooMuch = requested(resource) / unit;
        while (tooMuch - fitting > 1) {
            long middle = fitting + (tooMuch - fitting) / 2;
            if (fits.test(requesting(resource, middle * unit))) {
                fitting = middle;
            } else {
                tooMuch = middle;
            }
        }
        return fitting == 0
                ? Optional.empty()
                : Optional.of(Quantity.readable(resource, Quantity.ofWhole(fitting * unit)) + " " + resource);
    }

    private static long unit(String resource) {
        if (Hugepages.isResource(resource)) {
            return Hugepages.pageBytes(resource);
        }
        return switch (ResourceKind.of(resource)) {
            case MEMORY, STORAGE -> MEBI;
            case CPU, DEVICE -> 1;
        };
    }

    private long requested(String resource) {
        return container
                .resources()
                .requests()
                .getOrDefault(resource, RequestedAmount.ZERO)
                .whole();
    }

    private PodFacts requesting(String resource, long amount) {
        PodRequest request = pod.request();
        Resources before = container.resources();
        boolean isLimited = Optional.ofNullable(before.requests().get(resource))
                        .equals(Optional.ofNullable(before.limits().get(resource)))
                && before.requests().containsKey(resource);
        ContainerRequest changed = new ContainerRequest(
                container.name(),
                container.kind(),
                new Resources(
                        with(before.requests(), resource, amount),
                        isLimited ? with(before.limits(), resource, amount) : before.limits()));
        boolean app = !request.containers().isEmpty();
        return pod.requesting(new PodRequest(
                request.name(),
                request.qosClass(),
                request.podLevel(),
                app ? List.of() : List.of(changed),
                app ? List.of(changed) : List.of(),
                request.overhead()));
    }

    private static SortedMap<String, RequestedAmount> with(
            SortedMap<String, RequestedAmount> amounts, String resource, long amount) {
        SortedMap<String, RequestedAmount> changed = new TreeMap<>(amounts);
        changed.computeIfPresent(resource, (name, before) -> RequestedAmount.of(amount));
        return changed;
    }
}
