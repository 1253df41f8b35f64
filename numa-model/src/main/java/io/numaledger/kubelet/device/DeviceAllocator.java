package io.numaledger.kubelet.device;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.Refusal.Reason;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

import static java.util.Objects.requireNonNull;

/**
 * The Device Manager on one machine (cm/devicemanager/manager.go). Among devices that are equally good and of which its
 * plugin prefers none, the kubelet draws at random, see {@link DeviceDraws}.
 */
public final class DeviceAllocator {

    private final SortedMap<String, DeviceInventory> inventories = new TreeMap<>();
    private final SortedMap<String, DevicePreference> preferences;
    private final DeviceRequests requests;
    private final DeviceHints hints;

    public DeviceAllocator(
            KubeletRules rules,
            SortedMap<String, List<Device>> devices,
            SortedMap<String, DevicePreference> preferences,
            AffinityMask numaNodes) {
        this.preferences = preferences;
        devices.forEach((resource, list) -> inventories.put(resource, new DeviceInventory(resource, list)));
        this.requests = new DeviceRequests(rules, inventories.keySet());
        this.hints = new DeviceHints(rules, inventories, requests, numaNodes);
    }

    /**
     * The state in which these devices are taken.
     *
     * @throws IllegalArgumentException naming a device that does not exist or is held already
     */
    public DeviceState hold(DeviceState state, String pod, String container, String resource, SortedSet<String> ids) {
        SortedSet<String> held = state.held(resource);
        for (String id : ids) {
            if (!inventories.containsKey(resource) || !inventories.get(resource).knows(id)) {
                throw new IllegalArgumentException(
                        "a container holds a device that this machine does not have: pod=%s container=%s resource=%s id=%s; check whether it is recorded for another node"
                                .formatted(pod, container, resource, id));
            }
            if (held.contains(id)) {
                throw new IllegalArgumentException(
                        "a container holds a device that another holds: pod=%s container=%s resource=%s id=%s; read the node's allocations again"
                                .formatted(pod, container, resource, id));
            }
        }
        return state.with(pod, container, resource, ids);
    }

    public ProviderHints hints(DeviceState state, PodRequest pod, ContainerRequest container) {
        return hints.ofContainer(state, pod, container);
    }

    public ProviderHints podHints(DeviceState state, PodRequest pod) {
        return hints.ofPod(state, pod);
    }

    /** The resources whose devices this machine has. */
    public Collection<String> resources() {
        return inventories.keySet();
    }

    /** Healthy devices that no container holds. */
    public SortedSet<String> available(String resource, DeviceState state) {
        return hints.available(resource, state);
    }

    /** NUMA nodes → how many of these devices, as far as they are listed, are on exactly those; no NUMA nodes for those without topology. */
    public SortedMap<Long, Integer> countsByMask(String resource, Collection<String> ids) {
        return requireNonNull(inventories.get(resource)).countsByMask(ids);
    }

    /** The NUMA nodes that the plugin reports for a device; none for one that it no longer lists. */
    public AffinityMask numaNodesOf(String resource, String id) {
        return requireNonNull(inventories.get(resource)).numaNodesOf(id);
    }

    /**
     * All resources of the container. The kubelet visits them in random order and names the first that fails; each of
     * them fails or not whatever the others do, so only with two failures the message is open.
     *
     * @param draws which of equally good devices are taken
     */
    public StepResult<DeviceState> allocate(
            DeviceState state, PodRequest pod, ContainerRequest container, TopologyHint hint, DeviceDraws draws) {
        DeviceState after = state;
        List<Refusal> refusals = new ArrayList<>();
        for (var wish : requests.of(container).entrySet()) {
            Draw draw = new Draw(after, pod, container, wish.getKey(), wish.getValue(), draws);
            Optional<Refusal> refusal = draw.obstacle();
            if (refusal.isPresent()) {
                refusals.add(refusal.get());
            } else {
                after = draw.take(hint);
            }
        }
        return result(state, after, pod, container, refusals);
    }

    /**
     * A container that runs while its kubelet starts again keeps its devices, in whatever condition they and their plugin are
     * (devicesToAllocate, "scenario 2").
     */
    public StepResult<DeviceState> keep(DeviceState state, PodRequest pod, ContainerRequest container) {
        List<Refusal> refusals = new ArrayList<>();
        requests.of(container)
                .forEach((resource, count) ->
                        changedRequest(state, pod, container, resource, count).ifPresent(refusals::add));
        return result(state, state, pod, container, refusals);
    }

    private StepResult<DeviceState> result(
            DeviceState before, DeviceState after, PodRequest pod, ContainerRequest container, List<Refusal> refusals) {
        if (refusals.isEmpty()) {
            return new StepResult.Done<>(reuse(after, pod, container));
        }
        Optional<String> message = refusals.size() == 1 ? refusals.get(0).message() : Optional.empty();
        List<ResourceFit> resources =
                refusals.stream().flatMap(each -> each.resources().stream()).toList();
        return new StepResult.Failed<>(
                new Refusal(Reason.UNEXPECTED_ADMISSION, message, Optional.empty(), resources), before);
    }

    private Optional<Refusal> changedRequest(
            DeviceState state, PodRequest pod, ContainerRequest container, String resource, int count) {
        int held = state.heldBy(pod.name(), container.name(), resource).size();
        return held == 0 || held == count
                ? Optional.empty()
                : Optional.of(Refusal.unexpected(
                        "pod \"%s\" container \"%s\" changed request for resource \"%s\" from %d to %d"
                                .formatted(pod.name(), container.name(), resource, held, count),
                        resourceFit(resource, state, count, Optional.empty(), 0)));
    }

    private DeviceState reuse(DeviceState state, PodRequest pod, ContainerRequest container) {
        SortedMap<String, SortedSet<String>> reusable = new TreeMap<>(state.reusable());
        state.heldBy(pod.name(), container.name()).forEach((resource, ids) -> {
            SortedSet<String> changed = new TreeSet<>(state.reusable(resource));
            if (requests.isReusable(container)) {
                changed.addAll(ids);
            } else {
                changed.removeAll(ids);
            }
            reusable.put(resource, changed);
        });
        return state.withReusable(reusable);
    }

    /** One resource of one container (devicesToAllocate). */
    private final class Draw {

        private final DeviceState state;
        private final PodRequest pod;
        private final ContainerRequest container;
        private final String resource;
        private final int count;
        private final DeviceInventory inventory;
        private final SortedSet<String> available;
        private final DeviceDraws draws;

        private Draw(
                DeviceState state,
                PodRequest pod,
                ContainerRequest container,
                String resource,
                int count,
                DeviceDraws draws) {
            this.state = state;
            this.pod = pod;
            this.container = container;
            this.resource = resource;
            this.count = count;
            this.inventory = requireNonNull(inventories.get(resource));
            this.available = available(resource, state);
            this.draws = draws;
        }

        private Optional<Refusal> obstacle() {
            SortedSet<String> held = state.heldBy(pod.name(), container.name(), resource);
            Optional<Refusal> changed = changedRequest(state, pod, container, resource, count);
            if (changed.isPresent()) {
                return changed;
            }
            if (inventory.healthy().isEmpty()) {
                return refusal("no healthy devices present; cannot allocate unhealthy devices " + resource);
            }
            if (!inventory.healthy().containsAll(held)) {
                return refusal("previously allocated devices are no longer healthy; cannot allocate unhealthy devices "
                        + resource);
            }
            int needed = count - Math.min(count, state.reusable(resource).size());
            if (held.isEmpty() && available.size() < needed) {
                return refusal("requested number of devices unavailable for %s. Requested: %d, Available: %d"
                        .formatted(resource, needed, available.size()));
            }
            return Optional.empty();
        }

        private Optional<Refusal> refusal(String error) {
            return Optional.of(Refusal.unexpected(error, resourceFit(resource, state, count, Optional.empty(), 0)));
        }

        private DeviceState take(TopologyHint hint) {
            if (count == 0
                    || !state.heldBy(pod.name(), container.name(), resource).isEmpty()) {
                return state;
            }
            SortedSet<String> taken = new TreeSet<>();
            DeviceState after = draw(state, state.reusable(resource), taken);
            SortedSet<String> aligned = new TreeSet<>();
            SortedSet<String> unaligned = new TreeSet<>();
            SortedSet<String> withoutTopology = new TreeSet<>();
            for (String id : available) {
                AffinityMask nodes = inventory.numaNodesOf(id);
                boolean anywhere = hint.mask().isEmpty() || !inventory.hasTopology() || nodes.isEmpty();
                if (anywhere) {
                    withoutTopology.add(id);
                } else if (hint.mask().get().and(nodes).isEmpty()) {
                    unaligned.add(id);
                } else {
                    aligned.add(id);
                }
            }
            if (count - taken.size() < aligned.size()) {
                after = drawPreferred(after, aligned, taken);
            }
            after = draw(after, aligned, taken);
            after = drawPreferred(after, available, taken);
            after = draw(after, unaligned, taken);
            after = draw(after, withoutTopology, taken);
            return after.with(pod.name(), container.name(), resource, taken);
        }

        /** What the plugin prefers of these devices, where anything is still missing. */
        private DeviceState drawPreferred(DeviceState state, SortedSet<String> from, SortedSet<String> taken) {
            DevicePreference preference = preferences.getOrDefault(resource, DevicePreference.NONE);
            if (taken.size() == count) {
                return state;
            }
            SortedSet<String> all = new TreeSet<>(from);
            all.addAll(taken);
            SortedSet<String> preferred = new TreeSet<>(preference.choose(all, taken, count));
            preferred.retainAll(from);
            return draw(state, preferred, taken);
        }

        private SortedMap<Long, List<String>> byMask(SortedSet<String> ids) {
            SortedMap<Long, List<String>> byMask = new TreeMap<>();
            for (String id : ids) {
                byMask.computeIfAbsent(inventory.numaNodesOf(id).bits(), any -> new ArrayList<>())
                        .add(id);
            }
            return byMask;
        }

        /** Takes from these devices what is still missing; notes it where the choice is the kubelet's dice. */
        private DeviceState draw(DeviceState state, SortedSet<String> free, SortedSet<String> taken) {
            SortedSet<String> from = new TreeSet<>(free);
            from.removeAll(taken);
            int missing = Math.min(count - taken.size(), from.size());
            if (missing <= 0) {
                return state;
            }
            SortedMap<Long, List<String>> byMask = missing < from.size() ? byMask(from) : Collections.emptySortedMap();
            if (byMask.size() <= 1) {
                taken.addAll(from.stream().limit(missing).toList());
                return state;
            }
            taken.addAll(draws.draw(byMask, missing));
            return state.with(new UndeterminedChoice(pod.name(), container.name(), resource, missing, from.size()));
        }
    }

    private ResourceFit resourceFit(
            String resource, DeviceState state, int count, Optional<AffinityMask> mask, int width) {
        DeviceInventory inventory = requireNonNull(inventories.get(resource));
        SortedSet<String> available = available(resource, state);
        int free =
                mask.map(where -> inventory.counts(available).touching(where)).orElse(available.size());
        List<String> holders = state.byPod().keySet().stream()
                .filter(pod -> {
                    SortedSet<String> held = state.heldByPod(pod, resource);
                    return mask.map(where -> inventory.counts(held).touching(where) > 0)
                            .orElse(!held.isEmpty());
                })
                .toList();
        return new ResourceFit(resource, mask, count, free, width, holders);
    }

    /** The fit of each requested resource with topology, if no hint has the required width. */
    public List<ResourceFit> resourceFit(DeviceState state, PodRequest pod, Optional<ContainerRequest> container) {
        List<ResourceFit> reasons = new ArrayList<>();
        container.map(requests::of).orElseGet(() -> requests.ofPod(pod)).forEach((resource, count) -> {
            if (requireNonNull(inventories.get(resource)).hasTopology()) {
                int width = hints.wantedWidth(resource, count);
                Optional<AffinityMask> mask = hints.roomiest(resource, available(resource, state), width);
                reasons.add(resourceFit(resource, state, count, mask, width));
            }
        });
        return reasons;
    }

    /** The devices of a container, by resource and id. */
    public List<DeviceAllocation> allocations(DeviceState state, String pod, String container) {
        List<DeviceAllocation> list = new ArrayList<>();
        state.heldBy(pod, container)
                .forEach((resource, ids) -> ids.forEach(id -> list.add(new DeviceAllocation(
                        resource, id, numaNodesOf(resource, id).ids().boxed().toList()))));
        return list;
    }

    /** Nothing is reusable any more. */
    public DeviceState endOfAdmission(DeviceState state) {
        return state.withReusable(Collections.emptySortedMap());
    }

    /** Gives back all that a pod holds. */
    public DeviceState release(DeviceState state, String pod) {
        return state.without(pod);
    }
}
