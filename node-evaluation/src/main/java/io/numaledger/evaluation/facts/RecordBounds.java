package io.numaledger.evaluation.facts;

import io.numaledger.placement.Amounts;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.ResourceKind;
import io.numaledger.resource.Saturating;

import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BinaryOperator;

/**
 * What a pod can hold at most: the sum of what was allocated to all its containers, or of their requests before that. A record that names
 * more is not believed, because the owner of a pod can write it.
 */
final class RecordBounds {

    private final PodRequest pod;
    private final SortedMap<String, Long> most = new TreeMap<>();

    RecordBounds(PodRequest pod) {
        this.pod = pod;
        pod.inAllocationOrder().forEach(container -> add(container.resources(), Saturating::add));
        pod.podLevel().ifPresent(own -> add(own, Math::max)); // containers have theirs of it
    }

    private void add(Resources resources, BinaryOperator<Long> with) {
        resources.requests().forEach((resource, amount) -> {
            if (pod.isGuaranteed() || ResourceKind.of(resource) == ResourceKind.DEVICE) {
                most.merge(resource, resource.equals(Amounts.CPU) ? amount.millis() : amount.whole(), with);
            }
        });
    }

    /**
     * The record, believed or with too many CPUs.
     *
     * @throws IllegalArgumentException naming the pod and the resource, if the record has more of anything else than the pod requests
     */
    PlacementRecord<PodAllocation> check(PodAllocation held) {
        require(held);
        long cpus = held.containers().stream()
                        .mapToLong(container -> container.cpus().size())
                        .sum()
                * 1000;
        long bound = most.getOrDefault(Amounts.CPU, 0L);
        if (cpus > bound && bound > 0) {
            return new PlacementRecord.MoreCpus<>(held, tooMuch(Amounts.CPU, cpus));
        }
        require(Amounts.CPU, cpus);
        return new PlacementRecord.Believed<>(held);
    }

    private void require(PodAllocation held) {
        requireOfPod(held);
        SortedMap<String, Long> sums = new TreeMap<>();
        for (ContainerAllocation container : held.containers()) {
            for (MemoryBlock block : container.memory()) {
                sums.merge(block.type(), block.sizeBytes(), Saturating::add);
            }
            for (DeviceAllocation device : container.devices()) {
                sums.merge(device.resource(), 1L, Saturating::add);
            }
        }
        sums.forEach(this::require);
    }

    /** What the pod has as a whole is bounded by its own resources. */
    private void requireOfPod(PodAllocation held) {
        SortedMap<String, Long> sums = new TreeMap<>();
        held.memory().forEach(block -> sums.merge(block.type(), block.sizeBytes(), Saturating::add));
        if (!held.cpus().isEmpty()) {
            sums.put(Amounts.CPU, held.cpus().size() * 1000L);
        }
        SortedMap<String, RequestedAmount> own =
                pod.podLevel().map(Resources::requests).orElseGet(TreeMap::new);
        sums.forEach((resource, amount) -> {
            RequestedAmount most = own.getOrDefault(resource, RequestedAmount.ZERO);
            require(resource, amount, resource.equals(Amounts.CPU) ? most.millis() : most.whole());
        });
    }

    /** Checks that the pod can hold these amounts, in which a device counts on each of its NUMA nodes. */
    void require(Placement placement) {
        SortedMap<String, Long> sums = new TreeMap<>();
        placement
                .zones()
                .values()
                .forEach(zone -> zone.byResource().forEach((resource, amount) -> {
                    boolean device = ResourceKind.of(resource) == ResourceKind.DEVICE;
                    sums.merge(resource, amount, device ? Math::max : Saturating::add);
                }));
        sums.forEach(this::require);
    }

    private void require(String resource, long amount) {
        require(resource, amount, most.getOrDefault(resource, 0L));
    }

    private void require(String resource, long amount, long bound) {
        if (amount > bound) {
            throw new IllegalArgumentException(tooMuch(resource, amount));
        }
    }

    private String tooMuch(String resource, long amount) {
        return "the record has more than the pod requests: pod=%s resource=%s amount=%s"
                .formatted(pod.name(), resource, Amounts.text(resource, amount));
    }
}
