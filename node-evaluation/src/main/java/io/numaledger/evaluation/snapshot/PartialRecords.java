package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.device.Device;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.resource.ResourceKind;
import io.numaledger.resource.Saturating;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Finds what a record leaves out of what its pod's running containers certainly hold: exclusive CPUs, devices whose zones are all
 * known, and the memory of a Guaranteed pod. Of a pod that is placed as a whole, it is what the pod itself requests. The owner of a pod
 * can write its record, and an exporter may write it before it has seen all containers.
 */
final class PartialRecords {

    private final KubeletModel kubelet;

    PartialRecords(KubeletModel kubelet) {
        this.kubelet = kubelet;
    }

    /** Resource → what the record has less than the pod holds, in milli-CPU, bytes or devices. */
    SortedMap<String, Long> missing(PodFacts pod, PodAllocation record) {
        SortedMap<String, Long> missing = held(pod);
        subtract(missing, Amounts.CPU, record.cpus().size() * 1000L);
        record.allMemory().forEach(block -> subtract(missing, block.type(), block.sizeBytes()));
        record.containers().forEach(container -> {
            if (record.cpus().isEmpty()) {
                subtract(missing, Amounts.CPU, container.cpus().size() * 1000L);
            }
            container.devices().forEach(device -> subtract(missing, device.resource(), 1));
        });
        missing.values().removeIf(amount -> amount <= 0);
        return missing;
    }

    /**
     * Resource → what a record of amounts has less than the pod holds, in milli-CPU or devices. Memory is left out: exporters do not write that of
     * several zones.
     */
    SortedMap<String, Long> missing(PodFacts pod, Placement record) {
        SortedMap<String, Long> missing = held(pod);
        record.zones()
                .values()
                .forEach(zone -> zone.byResource().forEach((resource, amount) -> subtract(missing, resource, amount)));
        missing.keySet().removeIf(resource -> ResourceKind.of(resource) == ResourceKind.MEMORY);
        missing.values().removeIf(amount -> amount <= 0);
        return missing;
    }

    /** The missing amounts, in the zones where the model places the pod. */
    static Placement remainder(SortedMap<String, Long> missing, Placement predicted) {
        Placement.Builder sum = new Placement.Builder();
        SortedMap<String, Long> left = new TreeMap<>(missing);
        predicted
                .zones()
                .forEach((id, amounts) -> amounts.byResource().forEach((resource, amount) -> {
                    long added = Math.min(amount, left.getOrDefault(resource, 0L));
                    sum.add(id, resource, added);
                    subtract(left, resource, added);
                }));
        return sum.build();
    }

    private SortedMap<String, Long> held(PodFacts pod) {
        SortedMap<String, Long> held = new TreeMap<>();
        if (pod.request().podLevel().isPresent()) {
            if (kubelet.rules().placesAsAWhole(pod.request())) {
                addCertain(pod, pod.request().podLevel().get(), held);
            }
            return held;
        }
        for (ContainerRequest container : pod.request().inAllocationOrder()) {
            if (container.kind() != Kind.PLAIN_INIT) {
                addCertain(pod, container.resources(), held);
            }
        }
        return held;
    }

    private void addCertain(PodFacts pod, Resources resources, SortedMap<String, Long> held) {
        resources.requests().forEach((resource, amount) -> {
            long certain = certain(pod, resource, amount);
            if (certain > 0) {
                held.merge(resource, certain, Saturating::add);
            }
        });
    }

    private long certain(PodFacts pod, String resource, RequestedAmount amount) {
        boolean guaranteed = pod.request().isGuaranteed();
        return switch (ResourceKind.of(resource)) {
            case CPU -> guaranteed && kubelet.cpus().isPresent() && amount.millis() % 1000 == 0 ? amount.millis() : 0;
            case MEMORY -> guaranteed && kubelet.memory().isPresent() ? amount.whole() : 0;
            case STORAGE -> 0;
            case DEVICE -> {
                var devices = kubelet.machine().devices().getOrDefault(resource, List.of());
                boolean zonesKnown = devices.stream()
                        .filter(Device::healthy)
                        .allMatch(device -> device.numaNodes()
                                .ids()
                                .anyMatch(id -> kubelet.machine()
                                        .topology()
                                        .numaNode(id)
                                        .isPresent()));
                yield !devices.isEmpty() && zonesKnown ? amount.whole() : 0;
            }
        };
    }

    private static void subtract(SortedMap<String, Long> amounts, String resource, long amount) {
        amounts.computeIfPresent(resource, (any, left) -> Saturating.subtract(left, amount));
    }
}
