package io.numaledger.kubelet.memory;

import io.numaledger.kubelet.hint.HintRule;
import io.numaledger.kubelet.hint.KubeletFailureException;
import io.numaledger.kubelet.hint.KubeletFailureException.Kind;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * From which NUMA nodes memory is really taken: those of the merged hint, more of them when they do not suffice, or the
 * manager's own choice if the hint expresses no preference (cm/memorymanager/policy_static.go, Allocate).
 *
 * @param checksGroups see {@link io.numaledger.kubelet.config.KubeletVersion#checksMemoryGroupsInAllocation}
 */
record AffinityChoice(MemoryHints hints, boolean checksGroups) {

    /**
     * The choice, or the kubelet's sentence why there is none.
     *
     * @param error present exactly when the mask is absent
     */
    record Outcome(Optional<AffinityMask> mask, Optional<String> error) {

        static Outcome of(AffinityMask mask) {
            return new Outcome(Optional.of(mask), Optional.empty());
        }

        static Outcome failed(String error) {
            return new Outcome(Optional.empty(), Optional.of("[memorymanager] " + error));
        }
    }

    Outcome choose(MemoryState state, SortedMap<String, Long> request, TopologyHint stored) {
        TopologyHint hint = stored;
        if (stored.mask().isEmpty()) {
            HintRule own = request.isEmpty() ? HintRule.listing(List.of()) : hints.rule(state, request);
            if (own.isEmpty()) {
                return Outcome.failed(
                        "failed to get the default NUMA affinity, no NUMA nodes with enough memory is available");
            }
            hint = best(own, request, AffinityMask.NONE).orElseThrow(AffinityChoice::noMask);
            if (!hint.preferred() && stored.preferred()) {
                return Outcome.failed("failed to find the default preferred hint");
            }
        }
        AffinityMask mask = hint.mask().orElseThrow();
        if (!suffices(state, mask, request)) {
            Optional<TopologyHint> wider = best(hints.rule(state, request), request, mask);
            if (wider.isEmpty()) {
                return Outcome.failed("failed to find NUMA nodes to extend the current topology hint");
            }
            if (!wider.get().preferred() && hint.preferred()) {
                return Outcome.failed("failed to find the extended preferred hint");
            }
            hint = wider.get();
        }
        if (checksGroups && MemoryHints.violatesGroups(state, hint.mask().orElseThrow())) {
            return Outcome.failed("preferred hint violates NUMA node allocation");
        }
        return Outcome.of(hint.mask().orElseThrow());
    }

    /** The kubelet uses only the hints for regular memory; a request of only hugepages has none. */
    private static Optional<TopologyHint> best(HintRule all, SortedMap<String, Long> request, AffinityMask within) {
        return request.containsKey(MemoryRequests.MEMORY) ? all.best(within) : Optional.empty();
    }

    /** Memory of init containers that could be used again does not count here. */
    private static boolean suffices(MemoryState state, AffinityMask mask, SortedMap<String, Long> request) {
        return new MemoryTable(state.withReusable(ReusableMemory.NONE), request).freeSuffices(mask);
    }

    private static KubeletFailureException noMask() {
        return new KubeletFailureException(
                Kind.PANIC,
                "the kubelet reads hints of regular memory although only hugepages are requested, and panics: type=memory; request memory, too");
    }
}
