package io.numaledger.kubelet.hint;

import io.numaledger.topology.AffinityMask;

import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Merges the hints of all resources into one (cm/topologymanager/policy.go, HintMerger). The kubelet walks every
 * combination of one hint per list, up to 4·10⁹ of them on 8 NUMA nodes, and keeps the best; its comparison is a total
 * preorder, so the outcome has this closed form:
 *
 * <ol>
 *   <li>If some one mask (or no opinion) is a preferred hint of every list, the best such mask, preferred.
 *   <li>Else the best non-empty intersection of one hint per list, not preferred. Best is: as wide as the widest of the
 *       lists' narrowest hints; else the widest below that; else the best above.
 *   <li>Else all NUMA nodes, not preferred.
 * </ol>
 */
public final class HintMerger {

    /**
     * Machines with more NUMA nodes are not walked. The kubelet accepts them only with {@code max-allowable-numa-nodes}; its walk would not end in
     * useful time.
     */
    private static final int MAX_NODES_WALKED = 8;

    private final AffinityMask machine;
    private final MaskOrder order;
    private final Optional<HintRuleMerger> ofRules;
    private final boolean walks;

    public HintMerger(AffinityMask machine, MaskOrder order) {
        this(machine, order, false);
    }

    /** @param orderPanics the order fails for some masks, so that it matters which masks the kubelet compares on the way */
    public HintMerger(AffinityMask machine, MaskOrder order, boolean orderPanics) {
        this.machine = machine;
        this.order = order;
        this.ofRules = Optional.empty();
        this.walks = orderPanics && machine.count() <= MAX_NODES_WALKED;
    }

    /** Merges hints that are given as rules, see {@link HintRuleMerger}. */
    public HintMerger(HintRuleMerger ofRules) {
        this.machine = ofRules.machine();
        this.order = ofRules.order();
        this.ofRules = Optional.of(ofRules);
        this.walks = false;
    }

    /** The merged hint of all resource managers. */
    public TopologyHint mergeAll(List<ProviderHints> providers) {
        return ofRules.map(merger -> merger.merge(ProviderHints.rules(providers)))
                .orElseGet(() -> merge(ProviderHints.lists(providers)));
    }

    /** The merged hint of all resource managers, from preferred hints of one NUMA node and hints without a mask only. */
    public TopologyHint mergeSingleNumaNodes(List<ProviderHints> providers) {
        return ofRules.map(merger -> merger.merge(ProviderHints.rules(providers).stream()
                        .map(HintRule::ofSingleNumaNodes)
                        .toList()))
                .orElseGet(() -> merge(ProviderHints.lists(providers).stream()
                        .map(list -> list.stream()
                                .filter(TopologyHint::isOfSingleNumaNode)
                                .toList())
                        .toList()));
    }

    /** The merged hint of a non-empty number of lists. Its mask is always there. */
    public TopologyHint merge(List<List<TopologyHint>> lists) {
        if (walks) {
            return CombinationWalk.best(machine, order, lists, wantedWidth(lists))
                    .orElse(TopologyHint.of(machine, false));
        }
        return preferred(lists)
                .map(mask -> TopologyHint.of(mask, true))
                .or(() -> intersection(lists).map(mask -> TopologyHint.of(mask, false)))
                .orElse(TopologyHint.of(machine, false));
    }

    private Optional<AffinityMask> preferred(List<List<TopologyHint>> lists) {
        Set<AffinityMask> common = null;
        for (List<TopologyHint> list : lists) {
            if (!list.contains(TopologyHint.ANY)) {
                Set<AffinityMask> own = preferredMasks(list);
                if (common == null) {
                    common = own;
                } else {
                    common.retainAll(own);
                }
            }
        }
        if (common != null) {
            return best(common.stream().map(machine::and).filter(mask -> !mask.isEmpty()));
        }
        Stream<AffinityMask> optional =
                lists.stream().flatMap(list -> preferredMasks(list).stream()).map(machine::and);
        return best(Stream.concat(Stream.of(machine), optional.filter(mask -> !mask.isEmpty())));
    }

    private static Set<AffinityMask> preferredMasks(List<TopologyHint> list) {
        Set<AffinityMask> masks = new HashSet<>();
        for (TopologyHint hint : list) {
            if (hint.preferred()) {
                hint.mask().ifPresent(masks::add);
            }
        }
        return masks;
    }

    private Optional<AffinityMask> best(Stream<AffinityMask> masks) {
        return masks.reduce(order::better);
    }

    private Optional<AffinityMask> intersection(List<List<TopologyHint>> lists) {
        List<AffinityMask> reachable = reachable(lists);
        int wanted = wantedWidth(lists);
        int widestBelow = reachable.stream()
                .mapToInt(AffinityMask::count)
                .filter(width -> width <= wanted)
                .max()
                .orElse(0);
        return best(reachable.stream().filter(mask -> widestBelow == 0 || mask.count() == widestBelow));
    }

    /** The largest of the lists' narrowest widths; lists without any mask have no say. */
    private static int wantedWidth(List<List<TopologyHint>> lists) {
        int widest = 0;
        for (List<TopologyHint> list : lists) {
            OptionalInt narrowest = list.stream()
                    .flatMap(hint -> hint.mask().stream())
                    .mapToInt(AffinityMask::count)
                    .min();
            widest = Math.max(widest, narrowest.orElse(0));
        }
        return widest;
    }

    private List<AffinityMask> reachable(List<List<TopologyHint>> lists) {
        Intersections intersections = new Intersections(machine);
        lists.forEach(intersections::with);
        return intersections.masks();
    }
}
