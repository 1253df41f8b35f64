package io.numaledger.counts;

import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A pod taken apart once for all nodes: what it asks for as a whole, and container by container in the order in which the
 * kubelet allocates. Whole CPUs of Guaranteed pods only, memory and hugepages of Guaranteed pods only, everything else
 * from the limits.
 */
public final class PodAsk {

    /** One wish: parallel arrays, CPUs and memory first, then devices. */
    static final class Wish {

        final int[] resources;
        final long[] needs;
        /** How many of the resources are memory; they are first. */
        final int memoryTypes;

        final boolean plainInit;

        private final int cpu;

        private Wish(SortedMap<String, Long> amounts, ResourceIndex index, boolean plainInit) {
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

        private boolean asksForMemoryOf(Wish other) {
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

    final Wish whole;
    final Wish[] containers;
    final boolean reuses;
    /** Nothing about it is beyond counts, see {@link Sufficiency}. */
    final boolean plain;

    private PodAsk(Wish whole, Wish[] containers, boolean reuses, boolean plain) {
        this.whole = whole;
        this.containers = containers;
        this.reuses = reuses;
        this.plain = plain;
    }

    public static PodAsk of(PodRequest pod, ResourceIndex index) {
        List<Wish> containers = new ArrayList<>();
        SortedMap<String, Long> lasting = new TreeMap<>();
        SortedMap<String, Long> most = new TreeMap<>();
        boolean reuses = false;
        for (ContainerRequest container : pod.inAllocationOrder()) {
            SortedMap<String, Long> amounts = amounts(pod, container);
            boolean plainInit = container.kind() == Kind.PLAIN_INIT;
            reuses |= plainInit && !amounts.isEmpty();
            containers.add(new Wish(amounts, index, plainInit));
            amounts.forEach((resource, amount) -> {
                if (plainInit) {
                    most.merge(resource, lasting.getOrDefault(resource, 0L) + amount, Math::max);
                } else {
                    lasting.merge(resource, amount, Long::sum);
                }
            });
        }
        most.forEach((resource, amount) -> {
            boolean initOnlyMemory = ResourceKind.of(resource) == ResourceKind.MEMORY && !lasting.containsKey(resource);
            if (!initOnlyMemory) {
                lasting.merge(resource, amount, Math::max);
            }
        });
        return new PodAsk(
                new Wish(lasting, index, false), containers.toArray(Wish[]::new), reuses, isPlain(pod, containers));
    }

    private static boolean isPlain(PodRequest pod, List<Wish> wishes) {
        boolean readable = Stream.concat(pod.initContainers().stream(), pod.containers().stream())
                .allMatch(PodAsk::isReadable);
        return pod.podLevel().isEmpty() && readable && reuseIsPlain(pod, wishes);
    }

    /** What init containers take is used again by one container alone, which asks for the same types of memory and more. */
    private static boolean reuseIsPlain(PodRequest pod, List<Wish> wishes) {
        int inits = pod.initContainers().size();
        if (wishes.subList(0, inits).stream().allMatch(wish -> wish.needs.length == 0)) {
            return true;
        }
        Wish app = wishes.get(inits);
        return wishes.size() == inits + 1
                && wishes.subList(0, inits).stream().allMatch(wish -> wish.plainInit && app.asksForMemoryOf(wish));
    }

    private static boolean isReadable(ContainerRequest container) {
        return Stream.concat(
                        container.resources().requests().entrySet().stream(),
                        container.resources().limits().entrySet().stream())
                .allMatch(amount -> switch (ResourceKind.of(amount.getKey())) {
                    case CPU -> amount.getValue().millis() / 1000 < Integer.MAX_VALUE;
                    case MEMORY, DEVICE -> amount.getValue().readAsInt64().orElse(0) > 0;
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
                case DEVICE -> {}
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
