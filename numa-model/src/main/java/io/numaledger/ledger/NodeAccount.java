package io.numaledger.ledger;

import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.Sorted;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * One node's zones and who holds what of them.
 *
 * @param available NUMA node id → what nobody holds; below zero where more is held than was there
 * @param holdings pod → what it holds; a pod can be here with nothing in hand
 */
public record NodeAccount(SortedMap<Integer, Amounts> available, SortedMap<String, Placement> holdings) {

    public NodeAccount {
        available = Sorted.sorted(available);
        holdings = Sorted.sorted(holdings);
    }

    /** A node that nobody is on. */
    public static NodeAccount of(SortedMap<Integer, Amounts> allocatable) {
        return new NodeAccount(allocatable, new TreeMap<>());
    }

    public Optional<Placement> holding(String pod) {
        return Optional.ofNullable(holdings.get(pod));
    }

    NodeAccount charge(String pod, Placement placement) {
        SortedMap<String, Placement> more = new TreeMap<>(holdings);
        more.put(pod, placement);
        return new NodeAccount(moved(placement, -1), more);
    }

    NodeAccount credit(String pod) {
        SortedMap<String, Placement> fewer = new TreeMap<>(holdings);
        Placement placement = fewer.remove(pod);
        return new NodeAccount(moved(placement, 1), fewer);
    }

    private SortedMap<Integer, Amounts> moved(Placement placement, int sign) {
        SortedMap<Integer, Amounts> changed = new TreeMap<>(available);
        placement.zones().forEach((zone, amounts) -> {
            SortedMap<String, Long> signed = new TreeMap<>(amounts.byResource());
            signed.replaceAll((resource, amount) -> sign * amount);
            changed.merge(zone, new Amounts(signed), Amounts::plus);
        });
        return changed;
    }
}
