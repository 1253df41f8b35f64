package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.Device;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;

import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * What plain init containers request for themselves. What they keep follows from it where the model would not admit their pod: the
 * kubelet has admitted it with other options.
 */
final class InitContainerRequests {

    private final KubeletModel kubelet;

    InitContainerRequests(KubeletModel kubelet) {
        this.kubelet = kubelet;
    }

    /**
     * Whether a plain init container gets CPUs, devices or memory of its own. The kubelet decides which CPUs and devices later containers
     * take over. When it is started again, it allocates memory once more to init containers that have ended, until a container of the pod
     * starts (cm/memorymanager/policy_static.go, Allocate).
     */
    boolean areAllocated(PodRequest pod) {
        boolean memory = kubelet.memory().isPresent() && pod.isGuaranteed();
        return plain(pod)
                .anyMatch(init ->
                        memory || exclusiveCpus(pod, init) > 0 || !devices(init).isEmpty());
    }

    private static Stream<ContainerRequest> plain(PodRequest pod) {
        return pod.initContainers().stream().filter(init -> init.kind() == Kind.PLAIN_INIT);
    }

    int exclusiveCpus(PodRequest pod, ContainerRequest container) {
        return kubelet.cpus()
                .map(allocator -> allocator.exclusiveCpus(pod, container))
                .orElse(0);
    }

    private SortedMap<String, Long> devices(ContainerRequest container) {
        SortedMap<String, Long> devices = new TreeMap<>();
        container.resources().limits().forEach((resource, amount) -> {
            if (kubelet.machine().devices().containsKey(resource) && amount.whole() > 0) {
                devices.put(resource, amount.whole());
            }
        });
        return devices;
    }

    /**
     * The requests beyond what the pod's other containers hold, as free CPUs and devices of these zones. Later containers take over as
     * much as they can.
     */
    List<ContainerAllocation> beyond(NodeState state, PodRequest pod, PodAllocation own, AffinityMask zones) {
        CpuSet cpus = own.allCpus();
        List<DeviceAllocation> devices = new ArrayList<>();
        own.containers().forEach(container -> devices.addAll(container.devices()));
        List<ContainerAllocation> kept = new ArrayList<>();
        for (ContainerRequest init : plain(pod).toList()) {
            CpuSet moreCpus = freeCpus(state, zones, cpus, exclusiveCpus(pod, init) - cpus.size());
            List<DeviceAllocation> moreDevices = new ArrayList<>();
            devices(init)
                    .forEach((resource, count) ->
                            moreDevices.addAll(freeDevices(state, zones, resource, devices, count)));
            ContainerAllocation more = new ContainerAllocation(init.name(), moreCpus, List.of(), moreDevices);
            if (!more.isEmpty()) {
                kept.add(more);
                cpus = cpus.union(moreCpus);
                devices.addAll(moreDevices);
            }
        }
        return kept;
    }

    private CpuSet freeCpus(NodeState state, AffinityMask zones, CpuSet own, int missing) {
        if (missing <= 0 || state.cpus().isEmpty()) {
            return CpuSet.EMPTY;
        }
        var allocator = kubelet.cpus().orElseThrow();
        CpuSet free = state.cpus().get().shared().minus(allocator.reserved()).minus(own);
        return CpuSet.of(free.intersect(allocator.topology().cpusOf(zones))
                .ids()
                .limit(missing)
                .toArray());
    }

    private List<DeviceAllocation> freeDevices(
            NodeState state, AffinityMask zones, String resource, List<DeviceAllocation> own, long count) {
        SortedSet<String> held = new TreeSet<>(state.devices().held(resource));
        own.stream()
                .filter(device -> device.resource().equals(resource))
                .forEach(device -> held.add(device.deviceId()));
        long had = own.stream()
                .filter(device -> device.resource().equals(resource))
                .count();
        return kubelet.machine().devices().getOrDefault(resource, List.of()).stream()
                .filter(Device::healthy)
                .filter(device -> !held.contains(device.id()) && zones.containsAll(device.numaNodes()))
                .limit(Math.max(0, count - had))
                .map(device -> new DeviceAllocation(
                        resource, device.id(), device.numaNodes().ids().boxed().toList()))
                .toList();
    }
}
