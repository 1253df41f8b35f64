package io.numaledger.kubelet.device;

import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.hint.HintRule;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.kubelet.hint.MaskCondition;
import io.numaledger.kubelet.hint.MaskPreference;
import io.numaledger.kubelet.hint.MaskUniverse;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Arrays;
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
    private final boolean listsMasks;
    private final boolean panics;

    DeviceHints(
            KubeletRules rules,
            SortedMap<String, DeviceInventory> inventories,
            DeviceRequests requests,
            AffinityMask numaNodes) {
        this.inventories = inventories;
        this.requests = requests;
        this.listsMasks = rules.listsMasks();
        this.panics = rules.version().panicsOverHeldDevicesThatAreNotListed();
        MaskUniverse everywhere = MaskUniverse.of(numaNodes);
        inventories.forEach((resource, inventory) -> {
            AffinityMask hosts = inventory.hosts().and(numaNodes);
            boolean limited = rules.version().limitsDeviceHintsToDeviceNodes() && !hosts.isEmpty();
            universes.put(resource, limited && !hosts.equals(numaNodes) ? MaskUniverse.of(hosts) : everywhere);
        });
    }

    ProviderHints ofContainer(DeviceState state, PodRequest pod, ContainerRequest container) {
        Answer answer = new Answer();
        requests.of(container)
                .forEach((resource, count) -> answer.add(
                        resource,
                        state,
                        state.heldBy(pod.name(), container.name(), resource),
                        state.reusable(resource),
                        count));
        return answer.hints();
    }

    /** For the pod as a whole nothing is reusable. */
    ProviderHints ofPod(DeviceState state, PodRequest pod) {
        Answer answer = new Answer();
        requests.ofPod(pod)
                .forEach((resource, count) -> answer.add(
                        resource, state, state.heldByPod(pod.name(), resource), Collections.emptySortedSet(), count));
        return answer.hints();
    }

    private final class Answer {

        private final SortedMap<String, Optional<List<TopologyHint>>> lists = new TreeMap<>();
        private final SortedMap<String, HintRule> rules = new TreeMap<>();

        ProviderHints hints() {
            return new ProviderHints(lists, rules);
        }

        void add(String resource, DeviceState state, SortedSet<String> held, SortedSet<String> reusable, int count) {
            SortedSet<String> available = available(resource, state);
            if (!requireNonNull(inventories.get(resource)).hasTopology()) {
                lists.put(resource, Optional.empty());
            } else if (!held.isEmpty() && held.size() == count) {
                requireListed(resource, held);
                add(resource, held, Collections.emptySortedSet(), count);
            } else if (!held.isEmpty() || union(available, reusable).size() < count) {
                lists.put(resource, Optional.of(List.of()));
            } else {
                add(resource, available, reusable, count);
            }
        }

        private void requireListed(String resource, SortedSet<String> held) {
            DeviceInventory inventory = requireNonNull(inventories.get(resource));
            held.stream()
                    .filter(id -> panics && !inventory.knows(id))
                    .findFirst()
                    .ifPresent(id -> {
                        throw new KubeletFailureException(
                                Kind.PANIC,
                                "the kubelet looks for the NUMA nodes of a held device that its plugin does not list any more, and panics: resource=%s id=%s; restore the device or delete the pod before you start the kubelet again"
                                        .formatted(resource, id));
                    });
        }

        private void add(String resource, Collection<String> available, Collection<String> reusable, int count) {
            if (listsMasks) {
                lists.put(resource, Optional.of(generate(resource, available, reusable, count)));
            } else {
                rules.put(resource, rule(resource, available, reusable, count));
            }
        }
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
        MaskUniverse universe = requireNonNull(universes.get(resource));
        return listsMasks
                ? universe.narrowest(mask -> all.touching(mask) >= count)
                : HintRule.narrowest(universe.all(), AffinityMask.NONE, List.of(new DeviceCondition(all, count)));
    }

    /** What {@link #generate} lists. */
    HintRule rule(String resource, Collection<String> available, Collection<String> reusable, int count) {
        DeviceInventory inventory = requireNonNull(inventories.get(resource));
        DeviceCounts own = inventory.counts(reusable);
        int all = Arrays.stream(own.devices()).sum();
        List<MaskCondition> conditions = new ArrayList<>();
        conditions.add(new DeviceCondition(inventory.counts(available).plus(own), count));
        if (all > 0) {
            conditions.add(new DeviceCondition(own, all));
        }
        return new HintRule(
                requireNonNull(universes.get(resource)).all(),
                AffinityMask.NONE,
                conditions,
                MaskPreference.width(wantedWidth(resource, count)),
                List.of());
    }

    List<TopologyHint> generate(String resource, Collection<String> available, Collection<String> reusable, int count) {
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
        if (!listsMasks) {
            return Optional.of(roomiest(requireNonNull(universes.get(resource)).all(), free, width));
        }
        return requireNonNull(universes.get(resource)).masks().stream()
                .filter(mask -> mask.count() == width)
                .reduce((a, b) -> free.touching(b) > free.touching(a) ? b : a);
    }

    /** Node by node the one that adds most, the smaller number of equals. With devices of several NUMA nodes, others may have more. */
    private static AffinityMask roomiest(AffinityMask universe, DeviceCounts free, int width) {
        AffinityMask mask = AffinityMask.NONE;
        for (int i = 0; i < width; i++) {
            AffinityMask so = mask;
            mask = universe.ids()
                    .filter(id -> !so.contains(id))
                    .mapToObj(id -> so.or(AffinityMask.of(id)))
                    .reduce((a, b) -> free.touching(b) > free.touching(a) ? b : a)
                    .orElse(so);
        }
        return mask;
    }
}
