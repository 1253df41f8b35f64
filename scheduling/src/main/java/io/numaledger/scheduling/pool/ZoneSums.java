package io.numaledger.scheduling.pool;

import io.numaledger.evaluation.facts.NodeConstraints;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.placement.Amounts;
import io.numaledger.topology.NumaNode;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * All zones of one node together. A device of several zones counts once.
 *
 * @param allocatable by resource: CPUs in milli-CPU, bytes, counts
 * @param available allocatable less what pods hold, and what is reserved for pods in flight
 * @param largestCpuRequest the most CPUs of its own that one container gets from one zone; absent without the CPU Manager
 */
public record ZoneSums(
        SortedMap<String, Long> allocatable, SortedMap<String, Long> available, OptionalInt largestCpuRequest) {

    public ZoneSums {
        allocatable = sorted(allocatable);
        available = sorted(available);
    }

    /** The sums of a node; absent for a node that is cordoned or not ready, and for one whose zones are not known. */
    public static Optional<ZoneSums> of(NodeSnapshot node) {
        NodeConstraints constraints = node.node().constraints();
        boolean takesPods = !constraints.unschedulable() && constraints.ready().orElse(true);
        return takesPods
                ? node.model().kubelet().flatMap(kubelet -> node.now().map(now -> of(kubelet, now)))
                : Optional.empty();
    }

    private static ZoneSums of(KubeletModel kubelet, NodeState now) {
        OptionalInt largest = kubelet.cpus().isEmpty()
                ? OptionalInt.empty()
                : kubelet.machine().topology().numaNodes().stream()
                        .mapToInt(zone -> largestCpuRequest(kubelet.cpus().get(), now, zone))
                        .max();
        SortedMap<String, Long> allocatable = free(kubelet, kubelet.empty());
        SortedMap<String, Long> available = free(kubelet, now);
        allocatable.keySet().forEach(resource -> available.putIfAbsent(resource, 0L));
        return new ZoneSums(allocatable, available, largest);
    }

    private static int largestCpuRequest(CpuAllocator cpus, NodeState now, NumaNode zone) {
        return cpus.largestRequest(now.cpus().orElseThrow(), zone.id());
    }

    /** The free amounts, without resources of which nothing in a zone is free. */
    private static SortedMap<String, Long> free(KubeletModel kubelet, NodeState state) {
        SortedMap<String, Long> free = new TreeMap<>();
        kubelet.cpus()
                .ifPresent(cpus -> free.put(
                        Amounts.CPU,
                        state.cpus()
                                        .orElseThrow()
                                        .shared()
                                        .minus(cpus.reserved())
                                        .size()
                                * 1000L));
        state.memory()
                .ifPresent(memory -> memory.nodes()
                        .values()
                        .forEach(zone ->
                                zone.free().forEach((resource, bytes) -> free.merge(resource, bytes, Long::sum))));
        kubelet.devices()
                .ifPresent(devices -> devices.resources().forEach(resource -> {
                    SortedMap<Long, Integer> counts =
                            devices.countsByMask(resource, devices.available(resource, state.devices()));
                    counts.remove(0L);
                    counts.values().forEach(count -> free.merge(resource, (long) count, Long::sum));
                }));
        return free;
    }
}
