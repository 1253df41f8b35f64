package io.numaledger.bridge.evaluation;

import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.resource.Quantity;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.ZoneName;

import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Writes refusals as short sentences with numbers. */
final class RefusalMessages {

    private static final int MAX_HOLDERS = 3;

    private RefusalMessages() {}

    /** The resource that is short, if there is one; else the first. */
    static Optional<ResourceFit> decisive(List<ResourceFit> resources) {
        for (ResourceFit fit : resources) {
            if (Long.compareUnsigned(fit.free(), fit.need()) < 0) {
                return Optional.of(fit);
            }
        }
        return resources.stream().findFirst();
    }

    /** Such as {@code needs 8 cpu on 1 zone; node-0 has 6 free, held by default/a}; names the holders if they are known. */
    static String sentence(ResourceFit fit) {
        String zones = fit.mask()
                .map(mask -> ZoneName.of(mask).collect(Collectors.joining(" and ")))
                .orElse("the node");
        String width = fit.widthWanted() == 0
                ? ""
                : " on " + fit.widthWanted() + (fit.widthWanted() == 1 ? " zone" : " zones");
        boolean one = fit.mask().map(AffinityMask::count).orElse(1) == 1;
        return "needs " + amount(fit.resource(), fit.need()) + " " + fit.resource() + width + "; " + zones
                + (one ? " has " : " have ") + amount(fit.resource(), fit.free()) + " free"
                + holders(fit.holders());
    }

    private static String amount(String resource, long value) {
        return value < 0 ? Long.toUnsignedString(value) : Quantity.readable(resource, Quantity.ofWhole(value));
    }

    private static String holders(List<String> holders) {
        if (holders.isEmpty()) {
            return "";
        }
        String named = holders.stream().limit(MAX_HOLDERS).collect(Collectors.joining(", "));
        int more = holders.size() - MAX_HOLDERS;
        return ", held by " + named + (more > 0 ? " and %d more".formatted(more) : "");
    }
}
