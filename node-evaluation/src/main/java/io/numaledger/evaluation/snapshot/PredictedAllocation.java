package io.numaledger.evaluation.snapshot;

import io.numaledger.annotation.AllocationText;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the kubelet is expected to allocate to a pod when it admits it, to the id of CPUs and devices.
 *
 * @param running what the running containers hold
 * @param initContainers what {@link InitContainerAllocations#kept plain init containers} keep beside it; absent: not known
 */
public record PredictedAllocation(PodAllocation running, Optional<List<ContainerAllocation>> initContainers) {

    /** The containers of both kinds, for the annotation; absent: the pod has no plain init containers that keep anything. */
    public Optional<String> text() {
        return initContainers.filter(kept -> !kept.isEmpty()).map(kept -> {
            List<ContainerAllocation> all = new ArrayList<>(running.containers());
            all.addAll(kept);
            return AllocationText.write(
                    new PodAllocation(running.namespace(), running.name(), all, running.cpus(), running.memory()));
        });
    }

    /** Reads what was predicted when the pod was bound; absent where there is no such annotation, or where it is not believed. */
    static Optional<PredictedAllocation> of(PodFacts pod) {
        return pod.records()
                .placementPredicted()
                .flatMap(record -> record.believed())
                .map(all -> {
                    Set<String> plain = InitContainerAllocations.names(pod.request());
                    return new PredictedAllocation(
                            new PodAllocation(
                                    pod.namespace(), pod.name(), matching(all, plain, false), all.cpus(), all.memory()),
                            Optional.of(matching(all, plain, true)));
                });
    }

    private static List<ContainerAllocation> matching(PodAllocation all, Set<String> plain, boolean wanted) {
        return all.containers().stream()
                .filter(container -> plain.contains(container.name()) == wanted)
                .toList();
    }

    /**
     * Whether the kubelet has allocated the same CPUs, and as many devices on the same NUMA nodes, to the pod as a whole and to the running
     * containers.
     */
    public boolean isConfirmedBy(PodAllocation observed) {
        return running.cpus().equals(observed.cpus()) && exclusive(running).equals(exclusive(observed));
    }

    /** Whether the kubelet has allocated the same CPUs to the pod as a whole and to the running containers. */
    public boolean hasCpusOf(PodAllocation observed) {
        return running.cpus().equals(observed.cpus()) && cpus(running).equals(cpus(observed));
    }

    private static SortedMap<String, CpuSet> cpus(PodAllocation pod) {
        SortedMap<String, CpuSet> byContainer = new TreeMap<>();
        pod.containers().stream()
                .filter(container -> !container.cpus().isEmpty())
                .forEach(container -> byContainer.put(container.name(), container.cpus()));
        return byContainer;
    }

    private record Exclusive(CpuSet cpus, List<String> devices) {}

    private static SortedMap<String, Exclusive> exclusive(PodAllocation pod) {
        SortedMap<String, Exclusive> byContainer = new TreeMap<>();
        for (ContainerAllocation container : pod.containers()) {
            List<String> devices = container.devices().stream()
                    .map(PredictedAllocation::place)
                    .sorted()
                    .toList();
            if (!container.cpus().isEmpty() || !devices.isEmpty()) {
                byContainer.put(container.name(), new Exclusive(container.cpus(), devices));
            }
        }
        return byContainer;
    }

    private static String place(DeviceAllocation device) {
        return device.resource() + device.numaNodes();
    }
}
