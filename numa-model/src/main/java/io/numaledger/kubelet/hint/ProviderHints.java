package io.numaledger.kubelet.hint;

import io.numaledger.topology.Sorted;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.stream.Stream;

/**
 * What one resource manager answers for one container or pod.
 *
 * @param byResource resource → its hints; an absent list is no preference, an empty one means that nothing fits
 * @param rules on a machine with many NUMA nodes: resource → its hints as a rule, of resources whose hints are not listed
 */
public record ProviderHints(
        SortedMap<String, Optional<List<TopologyHint>>> byResource, SortedMap<String, HintRule> rules) {

    /** No preference for anything. */
    public static final ProviderHints NO_PREFERENCE = new ProviderHints(Collections.emptySortedMap());

    public ProviderHints {
        byResource = Sorted.sorted(byResource);
        rules = Sorted.sorted(rules);
    }

    public ProviderHints(SortedMap<String, Optional<List<TopologyHint>>> byResource) {
        this(byResource, Collections.emptySortedMap());
    }

    public static ProviderHints of(String resource, List<TopologyHint> hints) {
        return new ProviderHints(Sorted.sorted(Map.of(resource, Optional.of(hints))));
    }

    public static ProviderHints of(String resource, HintRule rule) {
        return new ProviderHints(Collections.emptySortedMap(), Sorted.sorted(Map.of(resource, rule)));
    }

    /**
     * One list per resource as the merge takes them (cm/topologymanager/policy.go, filterProvidersHints): a provider
     * without hints counts as one without preference, an empty list as a request that no mask satisfies.
     */
    public static List<List<TopologyHint>> lists(List<ProviderHints> providers) {
        return providers.stream().flatMap(ProviderHints::ownLists).toList();
    }

    /** What {@link #lists} returns as rules, one per resource. */
    public static List<HintRule> rules(List<ProviderHints> providers) {
        return providers.stream()
                .flatMap(provider ->
                        Stream.concat(provider.ownRules(), provider.ownLists().map(HintRule::listing)))
                .toList();
    }

    private Stream<HintRule> ownRules() {
        return rules.values().stream()
                .map(rule -> rule.isEmpty() ? HintRule.listing(List.of(TopologyHint.NONE)) : rule);
    }

    private Stream<List<TopologyHint>> ownLists() {
        if (byResource.isEmpty() && rules.isEmpty()) {
            return Stream.of(List.of(TopologyHint.ANY));
        }
        return byResource.values().stream()
                .map(hints -> hints.isEmpty()
                        ? List.of(TopologyHint.ANY)
                        : hints.get().isEmpty() ? List.of(TopologyHint.NONE) : hints.get());
    }
}
