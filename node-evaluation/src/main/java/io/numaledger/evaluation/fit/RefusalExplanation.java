package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.holder.Sentence;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.hint.HintRule;
import io.numaledger.kubelet.hint.ProviderHints;
import io.numaledger.kubelet.hint.TooManyMasksException;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.ZoneName;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Explains a refusal of the full model: the resource that is short; or the zones where each resource can be had, and why no set
 * of zones serves all; or the rule of a resource manager.
 */
public final class RefusalExplanation {

    private static final String WHOLE_POD = "*";

    /** How many sets of zones a sentence names. All single zones of most machines. */
    private static final int MOST_ZONES = 8;

    private final NodeState state;
    private final PodRequest pod;
    private final Admission.Refused refused;
    private final Refusal refusal;
    private final TopologyPolicyName policy;

    private RefusalExplanation(KubeletModel kubelet, NodeState state, PodRequest pod, Admission.Refused refused) {
        this.state = state;
        this.pod = pod;
        this.refused = refused;
        this.refusal = refused.refusal();
        this.policy = kubelet.rules().config().topologyManager().policy();
    }

    /**
     * One sentence.
     *
     * @param state before the pod was refused
     */
    public static Sentence sentence(KubeletModel kubelet, NodeState state, PodRequest pod, Admission.Refused refused) {
        return new RefusalExplanation(kubelet, state, pod, refused).sentence();
    }

    private Sentence sentence() {
        List<ResourceFit> fits = refusal.resources();
        if (fits.isEmpty()) {
            return Sentence.of(kubeletMessage());
        }
        Optional<ResourceFit> isShort =
                fits.stream().filter(ResourceFit::isShort).findFirst();
        if (isShort.isPresent()) {
            return RefusalMessages.shortage(isShort.get(), pod.name());
        }
        return switch (refusal.reason()) {
            case TOPOLOGY_AFFINITY -> conflict(fits);
            case UNEXPECTED_ADMISSION -> ofManager(fits.get(0));
            case SMT_ALIGNMENT, EMPTY_POD_SHARED_POOL -> Sentence.of(kubeletMessage());
        };
    }

    private String kubeletMessage() {
        return refusal.message().orElse("the kubelet would refuse the pod");
    }

    /**
     * A request, and the sets of zones where the kubelet's policy would accept it by itself.
     *
     * @param zones the first of them
     */
    private record Claim(ResourceFit fit, HintRule hints, List<AffinityMask> zones) {

        static Claim of(ResourceFit fit, HintRule hints) {
            return new Claim(fit, hints, hints.preferredMasks(MOST_ZONES + 1));
        }

        int width() {
            return zones.get(0).count();
        }

        String amount() {
            return RefusalMessages.amount(fit) + " " + fit.resource();
        }

        String onlyOn() {
            return "%s only on %s (%s%s free)"
                    .formatted(
                            amount(),
                            zones.stream()
                                            .limit(MOST_ZONES)
                                            .map(RefusalMessages::zones)
                                            .collect(Collectors.joining(" or "))
                                    + (zones.size() > MOST_ZONES ? " or others" : ""),
                            zones.size() > 1 ? "at most " : "",
                            RefusalMessages.free(fit));
        }
    }

    private Sentence conflict(List<ResourceFit> fits) {
        SortedMap<String, HintRule> preferred = preferred();
        List<Claim> claims = new ArrayList<>();
        for (ResourceFit fit : fits) {
            HintRule hints = preferred.get(fit.resource());
            if (hints == null) {
                continue;
            }
            Claim claim = Claim.of(fit, hints);
            if (claim.zones().isEmpty()) {
                return isMemory(fit) ? ofManager(fit) : notAllowed(fit);
            }
            if (policy == TopologyPolicyName.SINGLE_NUMA_NODE && claim.width() > 1) {
                return Sentence.of(
                        "needs %s on %d zones; %s allows one zone".formatted(claim.amount(), claim.width(), policy));
            }
            claims.add(claim);
        }
        return differentWidths(claims)
                .or(() -> disjoint(claims))
                .map(Sentence::of)
                .orElseGet(() -> RefusalMessages.sentence(RefusalReason.of(refusal.reason()), fits));
    }

    /** The hints by resource; without resources that any zones satisfy. */
    private SortedMap<String, HintRule> preferred() {
        SortedMap<String, HintRule> preferred = new TreeMap<>();
        for (ProviderHints provider :
                refused.hints().offered().getOrDefault(refusal.container().orElse(WHOLE_POD), List.of())) {
            provider.byResource()
                    .forEach((resource, hints) ->
                            hints.ifPresent(list -> preferred.put(resource, HintRule.listing(list))));
            preferred.putAll(provider.rules());
        }
        return preferred;
    }

    private Optional<String> differentWidths(List<Claim> claims) {
        for (Claim claim : claims) {
            for (Claim other : claims) {
                if (claim.width() > other.width()) {
                    return Optional.of("%s need %d zones, %s need %d; %s needs the same zones for all"
                            .formatted(claim.amount(), claim.width(), other.amount(), other.width(), policy));
                }
            }
        }
        return Optional.empty();
    }

    /** Two claims without common zones; else all claims if they have none together. */
    private Optional<String> disjoint(List<Claim> claims) {
        for (Claim claim : claims) {
            for (Claim other : claims) {
                if (!haveCommonZones(List.of(claim, other))) {
                    return Optional.of(disjointSentence(List.of(claim, other)));
                }
            }
        }
        return claims.isEmpty() || haveCommonZones(claims) ? Optional.empty() : Optional.of(disjointSentence(claims));
    }

    /** Whether the claims have common zones; also true where the zones are too many and too different to tell. */
    private static boolean haveCommonZones(List<Claim> claims) {
        try {
            return HintRule.preferOneMask(claims.stream().map(Claim::hints).toList());
        } catch (TooManyMasksException tooMany) {
            return true;
        }
    }

    private String disjointSentence(List<Claim> claims) {
        return "%s; %s needs %s for all"
                .formatted(
                        claims.stream().map(Claim::onlyOn).collect(Collectors.joining("; ")),
                        policy,
                        claims.get(0).width() == 1 ? "one zone" : "the same zones");
    }

    /** Hints of CPUs and devices contain what init containers had (policy_static.go and devicemanager, "reusable"). */
    private Sentence notAllowed(ResourceFit fit) {
        String had = earlier(container -> container.kind() == ContainerRequest.Kind.PLAIN_INIT)
                .collect(Collectors.joining(", "));
        return had.isEmpty()
                ? RefusalMessages.sentence(RefusalReason.of(refusal.reason()), List.of(fit))
                : Sentence.of("needs %s %s%s; the kubelet first gives container %s what init containers had: %s"
                        .formatted(
                                RefusalMessages.amount(fit),
                                fit.resource(),
                                RefusalMessages.width(fit),
                                refusal.container().orElse(WHOLE_POD),
                                had));
    }

    /** The zones of containers of the pod that come before the refused one, such as {@code node-0 (container i0)}. */
    private Stream<String> earlier(Predicate<ContainerRequest> which) {
        return pod.inAllocationOrder().stream()
                .takeWhile(container -> !refusal.container().equals(Optional.of(container.name())))
                .filter(which)
                .flatMap(container -> Optional.ofNullable(
                        refused.hints().byContainer().get(container.name()))
                        .flatMap(TopologyHint::mask)
                        .map(mask -> "%s (container %s)".formatted(RefusalMessages.zones(mask), container.name()))
                        .stream());
    }

    private boolean isMemory(ResourceFit fit) {
        return state.memory()
                .filter(memory -> memory.nodes().values().stream()
                        .anyMatch(node -> node.free().containsKey(fit.resource())))
                .isPresent();
    }

    /** The rule that the manager of a resource keeps, although enough is free. */
    private Sentence ofManager(ResourceFit fit) {
        List<Sentence> groups = isMemory(fit) ? groups() : List.of();
        if (groups.isEmpty()) {
            return Sentence.of("the kubelet cannot allocate %s %s, although %s %s free: %s"
                    .formatted(
                            RefusalMessages.amount(fit),
                            fit.resource(),
                            RefusalMessages.free(fit),
                            fit.need() == 1 ? "is" : "are",
                            kubeletMessage()));
        }
        Sentence rule =
                Sentence.of("needs %s %s%s; the Memory Manager keeps zones in the groups in which pods use them: "
                        .formatted(RefusalMessages.amount(fit), fit.resource(), RefusalMessages.width(fit)));
        return rule.plus(
                groups.stream().reduce((all, next) -> all.plus(", ").plus(next)).orElseThrow());
    }

    /** Such as {@code node-0 (default/a)} and {@code node-1 and node-2 (default/b and 2 more)}. */
    private List<Sentence> groups() {
        SortedMap<String, SortedSet<String>> holders = new TreeMap<>();
        MemoryState memory = state.memory().orElseThrow();
        memory.byPod()
                .forEach((pod, containers) -> containers.values().stream()
                        .flatMap(List::stream)
                        .map(MemoryBlock::numaNodes)
                        .forEach(zones -> holders.computeIfAbsent(
                                        ZoneName.of(AffinityMask.of(zones)).collect(Collectors.joining(" and ")),
                                        any -> new TreeSet<>())
                                .add(pod)));
        return Stream.concat(
                        holders.entrySet().stream()
                                .map(group -> Sentence.of(group.getKey() + " (")
                                        .plus(RefusalMessages.holders(group.getValue()))
                                        .plus(")")),
                        earlier(container -> true).map(Sentence::of))
                .toList();
    }
}
