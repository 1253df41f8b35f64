package io.numaledger.kubelet.device;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.hint.MaskUniverse;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;

import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;

/** On which NUMA nodes the devices of a request may be (cm/devicemanager/topology_hints.go). */
final class DeviceHints {

    private final SortedMap<String, DeviceInventory> inventories;
    private final DeviceRequests requests;
    private final Map<String, MaskUniverse> universes = new HashMap<>();

    DeviceHints(
            KubeletRules rules,
            SortedMap<String, DeviceInventory> inventories,
            DeviceRequests requests,
            AffinityMask numaNodes) {
        this.inventories = inventories;
        this.requests = requests;
        MaskUniverse everywhere = MaskUniverse.of(numaNodes);
        inventories.forEach((resource, inventory) -> {
            AffinityMask hosts = inventory.hosts().and(numaNodes);
            boolean limited = rules.version().limitsDeviceHintsToDeviceNodes() && !hosts.isEmpty();
            universes.put(resource, limited && !hosts.equals(numaNodes) ? MaskUniverse.of(hosts) : everywhere);
        });
    }

    ProviderHints ofContainer(DeviceState state, PodRequest pod, ContainerRequest container) {
        SortedMap<String, Optional<List<TopologyHint>>> hints = new TreeMap<>();
        requests.of(container)
                .forEach((resource, count) -> hints.put(
                        resource,
                        hints(
                                resource,
                                state,
                                state.heldBy(pod.name(), container.name(), resource),
                                state.reusable(resource),
                                count)));
        return new ProviderHints(hints);
    }

    /** For the pod as a whole nothing is reusable. */
    ProviderHints ofPod(DeviceState state, PodRequest pod) {
        SortedMap<String, Optional<List<TopologyHint>>> hints = new TreeMap<>();
        requests.ofPod(pod)
                .forEach((resource, count) -> hints.put(
                        resource,
                        hints(
                                resource,
                                state,
                                state.heldByPod(pod.name(), resource),
                                Collections.emptySortedSet(),
                                count)));
        return new ProviderHints(hints);
    }

    private Optional<List<TopologyHint>> hints(
            String resource, DeviceState state, SortedSet<String> held, SortedSet<String> reusable, int count) {
        DeviceInventory inventory = requireNonNull(inventories.get(resource));
        if (!inventory.hasTopology()) {
            return Optional.empty();
        }
        if (!held.isEmpty()) {
            return Optional.of(
                    held.size() == count ? generate(resource, held, Collections.emptySortedSet(), count) : List.of());
        }
        SortedSet<String> available = available(resource, state);
        return Optional.of(
                union(available, reusable).size() < count ? List.of() : generate(resource, available, reusable, count));
    }

    private static SortedSet<String> union(SortedSet<String> available, SortedSet<String> reusable) {
        if (reusable.isEmpty()) {
            return available;
        }
        SortedSet<String> usable = new TreeSet<>(available);
        usable.addAll(reusable);
        return usable;
    }

    SortedSet<String> available(String resource, DeviceState state) {
        SortedSet<String> available =
                new TreeSet<>(requireNonNull(inventories.get(resource)).healthy());
        available.removeAll(state.held(resource));
        return available;
    }

    /** The width counts every device of the resource, also unhealthy ones and those that others hold. */
    int wantedWidth(String resource, int count) {
        DeviceCounts all = requireNonNull(inventories.get(resource)).all();
        return requireNonNull(universes.get(resource)).narrowest(mask -> all.touching(mask) >= count);
    }

    private List<TopologyHint> generate(
            String resource, Collection<String> available, Collection<String> reusable, int count) {
        DeviceInventory inventory = requireNonNull(inventories.get(resource));
        DeviceCounts free = inventory.counts(available);
        DeviceCounts own = inventory.counts(reusable);
        return requireNonNull(universes.get(resource))
                .hints(
                        mask -> own.allTouch(mask) && own.touching(mask) + free.touching(mask) >= count,
                        wantedWidth(resource, count));
    }

    /** The mask of a width with the most of these devices; the first of equals. */
    Optional<AffinityMask> roomiest(String resource, Collection<String> available, int width) {
        DeviceCounts free = requireNonNull(inventories.get(resource)).counts(available);
        return requireNonNull(universes.get(resource)).masks().stream()
                .filter(mask -> mask.count() == width)
                .reduce((a, b) -> free.touching(b) > free.touching(a) ? b : a);
    }
}
