package io.numaledger.bridge.verdict;

import io.numaledger.kubelet.answer.Why;
import io.numaledger.placement.Quantity;
import io.numaledger.topology.AffinityMask;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Refusals as short sentences with numbers. */
final class Refusals {

    private static final int NAMED_HOLDERS = 3;

    private Refusals() {}

    /** The resource that is short, if one is; else the first that had a part. */
    static Optional<Why> decisive(List<Why> reasons) {
        for (Why why : reasons) {
            if (Long.compareUnsigned(why.free(), why.need()) < 0) {
                return Optional.of(why);
            }
        }
        return reasons.isEmpty() ? Optional.empty() : Optional.of(reasons.get(0));
    }

    /** Such as {@code needs 8 cpu on 1 zone; node-0 has 6 free, held by default/a}. */
    static String sentence(Why why, boolean withHolders) {
        String zones = why.mask().map(Refusals::names).orElse("the node");
        String width = why.widthWanted() == 0
                ? ""
                : " on " + why.widthWanted() + (why.widthWanted() == 1 ? " zone" : " zones");
        boolean one = why.mask().map(AffinityMask::count).orElse(1) == 1;
        return "needs " + amount(why.resource(), why.need()) + " " + why.resource() + width + "; " + zones
                + (one ? " has " : " have ") + amount(why.resource(), why.free()) + " free"
                + (withHolders ? holders(why.holders()) : "");
    }

    private static String amount(String resource, long value) {
        return value < 0 ? Long.toUnsignedString(value) : Quantity.readable(resource, Quantity.ofWhole(value));
    }

    private static String names(AffinityMask mask) {
        return mask.ids().mapToObj(id -> "node-" + id).collect(Collectors.joining(" and "));
    }

    private static String holders(List<String> holders) {
        if (holders.isEmpty()) {
            return "";
        }
        String named = holders.stream().limit(NAMED_HOLDERS).collect(Collectors.joining(", "));
        int more = holders.size() - NAMED_HOLDERS;
        return ", held by " + named + (more > 0 ? " and %d more".formatted(more) : "");
    }
}
