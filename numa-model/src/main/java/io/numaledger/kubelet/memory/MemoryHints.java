package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.hint.AmountCondition;
import io.numaledger.kubelet.hint.AmountsByNumaNode;
import io.numaledger.kubelet.hint.HintRule;
import io.numaledger.kubelet.hint.MaskPreference;
import io.numaledger.kubelet.hint.MaskUniverse;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

import static java.util.Objects.requireNonNull;

/**
 * On which NUMA nodes the memory of a request may be: all types together, and never against the groups
 * (cm/memorymanager/policy_static.go, calculateHints).
 */
final class MemoryHints {

    private final MemoryRequests requests;
    private final MaskUniverse universe;
    private final boolean listsMasks;

    MemoryHints(MemoryRequests requests, AffinityMask numaNodes, boolean listsMasks) {
        this.requests = requests;
        this.universe = MaskUniverse.of(numaNodes);
        this.listsMasks = listsMasks;
    }

    ProviderHints ofContainer(MemoryState state, PodRequest pod, ContainerRequest container) {
        if (!pod.isGuaranteed() || requests.leavesAlone(pod)) {
            return ProviderHints.NO_PREFERENCE;
        }
        return requests.of(pod, container)
                .map(request -> state.holds(pod.name(), container.name())
                        ? regenerated(state.heldBy(pod.name(), container.name()), request)
                        : forAll(state, request))
                .orElse(ProviderHints.NO_PREFERENCE);
    }

    ProviderHints ofPod(MemoryState state, PodRequest pod) {
        if (!pod.isGuaranteed() || requests.leavesAlone(pod)) {
            return ProviderHints.NO_PREFERENCE;
        }
        return requests.ofPod(pod).map(request -> ofPod(state, pod, request)).orElse(ProviderHints.NO_PREFERENCE);
    }

    private ProviderHints ofPod(MemoryState state, PodRequest pod, SortedMap<String, Long> request) {
        if (requests.managesAsAWhole(pod)
                && new PodMemoryBudget(requests, pod, request).violation().isPresent()) {
            SortedMap<String, Optional<List<TopologyHint>>> nothing = new TreeMap<>();
            request.keySet().forEach(type -> nothing.put(type, Optional.of(List.of())));
            return new ProviderHints(nothing);
        }
        if (requests.keepsPod(state, pod) && !request.isEmpty()) {
            return regenerated(requireNonNull(state.podBlocks().get(pod.name())), request);
        }
        return pod.inAllocationOrder().stream()
                .filter(container -> state.holds(pod.name(), container.name()))
                .findFirst()
                .map(container -> regenerated(state, pod, container, request))
                .orElseGet(() -> forAll(state, request));
    }

    /** The hints of a pod whose first containers have their memory already. */
    private ProviderHints regenerated(
            MemoryState state, PodRequest pod, ContainerRequest holder, SortedMap<String, Long> total) {
        Optional<SortedMap<String, Long>> request =
                requests.regeneratesByContainer() ? requests.of(pod, holder) : Optional.of(total);
        return request.map(bytes -> regenerated(state.heldBy(pod.name(), holder.name()), bytes))
                .orElse(ProviderHints.NO_PREFERENCE);
    }

    /** Every type gets the same hints. No hint at all makes the map empty, which then reads as no preference. */
    private ProviderHints forAll(MemoryState state, SortedMap<String, Long> request) {
        HintRule rule = rule(state, request);
        if (rule.isEmpty()) {
            return ProviderHints.NO_PREFERENCE;
        }
        SortedMap<String, Optional<List<TopologyHint>>> lists = new TreeMap<>();
        SortedMap<String, HintRule> rules = new TreeMap<>();
        for (String type : request.keySet()) {
            if (listsMasks) {
                lists.put(type, Optional.of(rule.listed()));
            } else {
                rules.put(type, rule);
            }
        }
        return new ProviderHints(lists, rules);
    }

    /** The hints for memory that is held already; no preference as soon as anything does not match. */
    private static ProviderHints regenerated(List<MemoryBlock> blocks, SortedMap<String, Long> request) {
        SortedMap<String, Optional<List<TopologyHint>>> byType = new TreeMap<>();
        for (MemoryBlock block : blocks) {
            Long bytes = request.get(block.type());
            if (bytes == null || bytes != block.sizeBytes()) {
                return ProviderHints.NO_PREFERENCE;
            }
            TopologyHint hint = TopologyHint.of(AffinityMask.of(block.numaNodes()), true);
            byType.put(block.type(), Optional.of(List.of(hint)));
        }
        return blocks.size() == request.size() ? new ProviderHints(byType) : ProviderHints.NO_PREFERENCE;
    }

    /** The hints for a request. Where masks can be listed, they are. */
    HintRule rule(MemoryState state, SortedMap<String, Long> request) {
        MemoryTable table = new MemoryTable(state, request);
        Predicate<AffinityMask> fits =
                mask -> table.allocatableSuffices(mask) && !table.breaksGroup(mask) && table.freeSuffices(mask);
        int wanted = wantedWidth(table);
        if (listsMasks) {
            return HintRule.listing(universe.hints(fits, wanted));
        }
        AffinityMask unused = unused(state);
        List<TopologyHint> listed = Stream.of(
                        single(), groups(state), state.reusable().masks())
                .flatMap(masks -> masks)
                .distinct()
                .filter(fits)
                .map(mask -> TopologyHint.of(mask, mask.count() == wanted))
                .toList();
        return new HintRule(
                unused, AffinityMask.NONE, table.freeConditions(unused), MaskPreference.width(wanted), listed);
    }

    /** Masks out of these are in no group. */
    private static AffinityMask unused(MemoryState state) {
        return AffinityMask.of(state.nodes().entrySet().stream()
                .filter(node -> node.getValue().assignments() == 0
                        && node.getValue().cells().count() == 1)
                .map(Map.Entry::getKey)
                .toList());
    }

    private Stream<AffinityMask> single() {
        return universe.all().ids().mapToObj(AffinityMask::of);
    }

    private static Stream<AffinityMask> groups(MemoryState state) {
        return state.nodes().values().stream().map(NumaMemory::cells);
    }

    private int wantedWidth(MemoryTable table) {
        return listsMasks
                ? universe.narrowest(table::allocatableSuffices)
                : HintRule.narrowest(universe.all(), AffinityMask.NONE, table.allocatableConditions(universe.all()));
    }

    int wantedWidth(MemoryState state, SortedMap<String, Long> request) {
        return wantedWidth(new MemoryTable(state, request));
    }

    static long free(MemoryState state, AffinityMask mask, String type) {
        return mask.ids()
                .mapToLong(id -> requireNonNull(state.nodes().get(id)).free().get(type))
                .sum();
    }

    /** A mask of several nodes may contain only unused nodes, or exactly one existing group. */
    static boolean violatesGroups(MemoryState state, AffinityMask mask) {
        return mask.count() > 1
                && mask.ids()
                        .anyMatch(id -> requireNonNull(state.nodes().get(id)).breaks(mask));
    }

    /** The mask of a width that is allowed and has the most of a type free; the first of equals. */
    Optional<AffinityMask> roomiest(MemoryState state, int width, String type) {
        if (!listsMasks) {
            AmountsByNumaNode free = new AmountsByNumaNode();
            state.nodes().forEach((id, node) -> free.put(id, node.free().getOrDefault(type, 0L)));
            return Optional.of(AmountCondition.roomiest(universe.all(), free, width));
        }
        return universe.masks().stream()
                .filter(mask -> mask.count() == width)
                .reduce((a, b) -> Long.compareUnsigned(free(state, b, type), free(state, a, type)) > 0 ? b : a);
    }
}
