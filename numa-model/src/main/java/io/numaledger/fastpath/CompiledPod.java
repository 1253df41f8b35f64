package io.numaledger.fastpath;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.resource.ResourceKind;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A pod's requests in the form that the fast path evaluates: numbers for resource names, amounts in arrays. Compiled once for
 * all nodes. It has the requests of the pod as a whole, and of each container in the order in which the kubelet allocates:
 * exclusive CPUs, memory and hugepages of Guaranteed pods, and devices of all pods.
 */
public final class CompiledPod {

    /** Amounts in parallel arrays: memory first, then CPUs and devices. */
    static final class Request {

        final int[] resources;
        final long[] needs;
        /** The number of memory types; they come first. */
        final int memoryTypes;

        final boolean plainInit;

        private final int cpu;

        private Request(SortedMap<String, Long> amounts, ResourceIndex index, boolean plainInit) {
            List<String> order = new ArrayList<>();
            amounts.keySet().stream()
                    .filter(name -> ResourceKind.of(name) == ResourceKind.MEMORY)
                    .forEach(order::add);
            this.memoryTypes = order.size();
            amounts.keySet().stream()
                    .filter(name -> ResourceKind.of(name) != ResourceKind.MEMORY)
                    .forEach(order::add);
            this.resources = order.stream().mapToInt(index::number).toArray();
            this.needs = order.stream().mapToLong(name -> amounts.get(name)).toArray();
            this.plainInit = plainInit;
            this.cpu = index.number("cpu");
        }

        private boolean hasMemoryTypesOf(Request other) {
            return IntStream.of(resources)
                    .limit(memoryTypes)
                    .boxed()
                    .toList()
                    .containsAll(IntStream.of(other.resources)
                            .limit(other.memoryTypes)
                            .boxed()
                            .toList());
        }

        /** The number of {@code cpu}. */
        int cpu() {
            return cpu;
        }
    }

    final Request whole;
    final Request[] containers;
    /** A plain init container takes something that later containers may reuse. */
    final boolean reuses;
    /** The fast path can represent all of its requests, see {@link Applicability}. */
    final boolean simple;

    private CompiledPod(Request whole, Request[] containers, boolean reuses, boolean simple) {
        this.whole = whole;
        this.containers = containers;
        this.reuses = reuses;
        this.simple = simple;
    }

    public static CompiledPod of(PodRequest pod, ResourceIndex index) {
        List<Request> containers = new ArrayList<>();
        SortedMap<String, Long> lasting = new TreeMap<>();
        SortedMap<String, Long> peak = new TreeMap<>();
        boolean reuses = false;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            SortedMap<String, Long> amounts = amounts(pod, container);
            boolean plainInit = container.kind() == Kind.PLAIN_INIT;
            reuses |= plainInit && !amounts.isEmpty();
            containers.add(new Request(amounts, index, plainInit));
            amounts.forEach((resource, amount) -> {
                if (plainInit) {
                    peak.merge(resource, lasting.getOrDefault(resource, 0L) + amount, Math::max);
                } else {
                    lasting.merge(resource, amount, Long::sum);
                }
            });
        }
        peak.forEach((resource, amount) -> {
            boolean initOnlyMemory = ResourceKind.of(resource) == ResourceKind.MEMORY && !lasting.containsKey(resource);
            if (!initOnlyMemory) {
                lasting.merge(resource, amount, Math::max);
            }
        });
        return new CompiledPod(
                new Request(lasting, index, false),
                containers.toArray(Request[]::new),
                reuses,
                isSimple(pod, containers));
    }

    private static boolean isSimple(PodRequest pod, List<Request> requests) {
        boolean readable = Stream.concat(pod.initContainers().stream(), pod.containers().stream())
                .allMatch(CompiledPod::isReadable);
        return pod.podLevel().isEmpty() && readable && reuseIsSimple(pod, requests);
    }

    /** Exactly one container reuses what init containers take, and it requests all the types of memory that they request. */
    private static boolean reuseIsSimple(PodRequest pod, List<Request> requests) {
        int inits = pod.initContainers().size();
        if (requests.subList(0, inits).stream().allMatch(request -> request.needs.length == 0)) {
            return true;
        }
        Request app = requests.get(inits);
        return requests.size() == inits + 1
                && requests.subList(0, inits).stream()
                        .allMatch(request -> request.plainInit && app.hasMemoryTypesOf(request));
    }

    private static boolean isReadable(ContainerRequest container) {
        return Stream.concat(
                        container.resources().requests().entrySet().stream(),
                        container.resources().limits().entrySet().stream())
                .allMatch(amount -> switch (ResourceKind.of(amount.getKey())) {
                    case CPU -> amount.getValue().millis() / 1000 < Integer.MAX_VALUE;
                    case MEMORY, STORAGE, DEVICE ->
                        amount.getValue().readAsInt64().orElse(0) > 0;
                });
    }

    private static SortedMap<String, Long> amounts(PodRequest pod, ContainerRequest container) {
        SortedMap<String, Long> amounts = new TreeMap<>();
        boolean exclusive = pod.isGuaranteed() && pod.podLevel().isEmpty();
        container.resources().requests().forEach((resource, amount) -> {
            switch (ResourceKind.of(resource)) {
                case CPU -> {
                    if (exclusive && amount.millis() % 1000 == 0 && !amount.isZero()) {
                        amounts.put(resource, amount.millis() / 1000);
                    }
                }
                case MEMORY -> {
                    if (exclusive) {
                        amounts.put(resource, amount.whole());
                    }
                }
                case STORAGE, DEVICE -> {}
            }
        });
        container.resources().limits().forEach((resource, amount) -> device(resource, amount, amounts));
        return amounts;
    }

    private static void device(String resource, RequestedAmount amount, SortedMap<String, Long> amounts) {
        if (ResourceKind.of(resource) == ResourceKind.DEVICE) {
            amounts.put(resource, amount.whole());
        }
    }
}
