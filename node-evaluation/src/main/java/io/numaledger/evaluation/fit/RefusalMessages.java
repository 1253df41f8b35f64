package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.holder.Holder;
import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.resource.Quantity;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.ZoneName;

import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Writes refusals as short sentences with numbers. */
final class RefusalMessages {

    private RefusalMessages() {}

    /** The first resource that is short; if none is, all of them, because they conflict or break another rule. */
    static List<ResourceFit> decisive(List<ResourceFit> resources) {
        return resources.stream()
                .filter(ResourceFit::isShort)
                .findFirst()
                .map(List::of)
                .orElse(resources);
    }

    /**
     * Names the shortage, or the rule that the free amounts break.
     *
     * @param decisive one resource that is short, or one or more that are not
     */
    static Sentence sentence(RefusalReason reason, List<ResourceFit> decisive) {
        return decisive.get(0).isShort() ? shortage(decisive.get(0)) : Sentence.of(rule(reason, decisive));
    }

    private static String rule(RefusalReason reason, List<ResourceFit> decisive) {
        ResourceFit first = decisive.get(0);
        String amounts = decisive.stream()
                .map(fit -> "%s %s (%s: %s free)"
                        .formatted(
                                amount(fit.resource(), fit.need()),
                                fit.resource(),
                                zones(fit),
                                amount(fit.resource(), fit.free())))
                .collect(Collectors.joining(", "));
        return switch (reason) {
            case TOPOLOGY_AFFINITY_ERROR ->
                decisive.size() == 1
                        ? "needs %s %s%s (%s: %s free), which the Topology Manager policy does not allow"
                                .formatted(
                                        amount(first.resource(), first.need()),
                                        first.resource(),
                                        width(first),
                                        zones(first),
                                        amount(first.resource(), first.free()))
                        : "no set of zones satisfies the Topology Manager policy for all of " + amounts;
            case SMT_ALIGNMENT_ERROR -> "the requested CPUs must fill whole physical cores: " + amounts;
            default -> "the kubelet cannot allocate %s: the free amounts cannot be combined".formatted(amounts);
        };
    }

    static String zones(ResourceFit fit) {
        return fit.mask().map(RefusalMessages::zones).orElse("the node");
    }

    static String zones(AffinityMask mask) {
        return ZoneName.of(mask).collect(Collectors.joining(" and "));
    }

    static String width(ResourceFit fit) {
        return switch (fit.widthWanted()) {
            case 0 -> "";
            case 1 -> " on 1 zone";
            default -> " on %d zones".formatted(fit.widthWanted());
        };
    }

    /** Such as {@code needs 8 cpu on 1 zone; node-0 has 6 free, held by default/a}; names the holders if they are known. */
    static Sentence shortage(ResourceFit fit) {
        List<Holder> holders = holders(fit.holders());
        return holders.isEmpty()
                ? Sentence.of(shortAmount(fit))
                : Sentence.of(shortAmount(fit) + ", held by ").plus(holders);
    }

    /** The shortage of a container that may be short of what others of its pod hold. */
    static Sentence shortage(ResourceFit fit, String pod) {
        if (!fit.holders().contains(pod)) {
            return shortage(fit);
        }
        List<Holder> others =
                holders(fit.holders().stream().filter(each -> !each.equals(pod)).toList());
        Sentence own = Sentence.of(shortAmount(fit) + ", held by other containers of the pod");
        return others.isEmpty() ? own : own.plus(", ").plus(others);
    }

    private static String shortAmount(ResourceFit fit) {
        boolean one = fit.mask().map(AffinityMask::count).orElse(1) == 1;
        return "needs " + amount(fit) + " " + fit.resource() + width(fit) + "; " + zones(fit)
                + (one ? " has " : " have ") + free(fit) + " free";
    }

    /** The holders, without those of states that do not say who holds what. */
    static List<Holder> holders(Collection<String> keys) {
        return keys.stream().filter(key -> !key.isEmpty()).map(Holder::of).toList();
    }

    /** The requested amount. */
    static String amount(ResourceFit fit) {
        return amount(fit.resource(), fit.need());
    }

    static String free(ResourceFit fit) {
        return amount(fit.resource(), fit.free());
    }

    private static String amount(String resource, long value) {
        return value < 0 ? Long.toUnsignedString(value) : Quantity.readable(resource, Quantity.ofWhole(value));
    }
}
