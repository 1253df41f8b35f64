package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.Device;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.NumaNode;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The devices of {@link DeviceReader} that nobody holds, to be taken one by one for the devices that records name. */
final class FreeDevices {

    private final KubeletModel kubelet;
    private final NodeState state;
    private final Set<Integer> numaNodes;
    private final Map<String, Set<String>> taken = new HashMap<>();

    FreeDevices(KubeletModel kubelet, NodeState state) {
        this.kubelet = kubelet;
        this.state = state;
        this.numaNodes = kubelet.machine().topology().numaNodes().stream()
                .map(NumaNode::id)
                .collect(Collectors.toSet());
    }

    /**
     * Takes a device.
     *
     * @param reported the NUMA nodes that are recorded for it
     * @param unhealthy the device has failed, or its plugin lists it no more
     * @throws IllegalArgumentException if there is none
     */
    String take(String resource, Collection<Integer> reported, boolean unhealthy) {
        AffinityMask mask = DeviceReader.mask(reported, numaNodes);
        Predicate<Device> here = device -> device.numaNodes().equals(mask);
        Stream<Predicate<Device>> best = unhealthy
                ? Stream.of(here.and(device -> !device.healthy()), FreeDevices::isGone, here)
                : Stream.of(here.and(Device::healthy), here);
        // The kubelet lists a held device on NUMA node -1 like one without NUMA nodes.
        Stream<Predicate<Device>> last = mask.isEmpty() ? Stream.of(this::isImpossible) : Stream.empty();
        String id = Stream.concat(best, last)
                .flatMap(wanted -> find(resource, wanted).stream())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "more devices are held than the node has: resource=%s numaNodes=%s; wait for the next reconciliation of the agent"
                                .formatted(resource, mask)));
        taken(resource).add(id);
        return id;
    }

    /** Whether a device of these NUMA nodes is unhealthy and nobody holds it. */
    boolean hasUnhealthy(String resource, int numaNode) {
        return find(resource, device -> !device.healthy() && device.numaNodes().contains(numaNode))
                .isPresent();
    }

    private Optional<String> find(String resource, Predicate<Device> wanted) {
        Set<String> others = taken(resource);
        return kubelet.machine().devices().getOrDefault(resource, List.of()).stream()
                .filter(wanted)
                .map(Device::id)
                .filter(id -> !others.contains(id))
                .findFirst();
    }

    private Set<String> taken(String resource) {
        return taken.computeIfAbsent(
                resource, any -> new TreeSet<>(state.devices().held(resource)));
    }

    private static boolean isGone(Device device) {
        return !device.healthy() && device.numaNodes().isEmpty();
    }

    private boolean isImpossible(Device device) {
        return !device.numaNodes().isEmpty() && device.numaNodes().ids().noneMatch(numaNodes::contains);
    }
}
