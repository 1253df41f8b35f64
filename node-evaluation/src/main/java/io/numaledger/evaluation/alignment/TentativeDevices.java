package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The devices of a node on which pods are placed tentatively, one after the other. As long as it is known which devices kube-scheduler
 * allocates to their claims, these are taken. From then on, devices are counted: those that could serve the claims have to be enough for all
 * of them. Immutable.
 */
public final class TentativeDevices {

    private final Node node;
    private final List<Placed> placed;

    /** The claims of the placed pods: a claim of several pods is allocated once. */
    private final Set<String> served;

    /** The devices of all placed pods are known. */
    private final boolean areKnown;

    private final NodeDevices left;
    private final DeviceMatching counted;

    private record Node(
            ClaimLookup claims, NodeFacts facts, NodeDevices devices, boolean isOrdered, EvaluationBudget budget) {}

    /**
     * A pod.
     *
     * @param near what the kubelet gives to it, in each state of the node, where the devices have to be near; none: they need not be
     */
    private record Placed(PodFacts pod, List<Optional<Placement>> near) {

        /** The devices that the pod takes. */
        private Predicate<Device> takes() {
            List<Collection<AffinityMask>> masks = near.stream()
                    .flatMap(Optional::stream)
                    .map(placement -> AlignmentCheck.numaNodes(placement).values())
                    .toList();
            return device -> near.isEmpty() || masks.stream().anyMatch(each -> ClaimFit.isUsable(device, each));
        }
    }

    private TentativeDevices(
            Node node,
            List<Placed> placed,
            Set<String> served,
            boolean areKnown,
            NodeDevices left,
            DeviceMatching counted) {
        this.node = node;
        this.placed = placed;
        this.served = served;
        this.areKnown = areKnown;
        this.left = left;
        this.counted = counted;
    }

    private static TentativeDevices of(Node node) {
        return new TentativeDevices(node, List.of(), Set.of(), node.isOrdered(), node.devices(), DeviceMatching.EMPTY);
    }

    /**
     * The devices of a node. Claims of its pods that are not allocated take none: kube-scheduler allocates them before it binds, so that only
     * a pod whose creator names the node has such claims, and its kubelet does not start it.
     *
     * @param isOrdered kube-scheduler tries pools and slices in the order of their names, as since 1.36, and not in a random one
     * @param budget claims of pods that have used up their parts are not evaluated
     */
    public static TentativeDevices of(ClaimLookup claims, NodeFacts node, boolean isOrdered, EvaluationBudget budget) {
        return of(new Node(claims, node, claims.devices(node.name()), isOrdered, budget));
    }

    /** The devices of this node without any pods. */
    public TentativeDevices empty() {
        return of(released(any -> true));
    }

    private Node released(Predicate<String> claims) {
        return new Node(node.claims(), node.facts(), node.devices().released(claims), node.isOrdered(), node.budget());
    }

    /**
     * These devices with one pod more; absent if its claims cannot be served here, or not as it demands. Claims that are not made yet need nothing.
     *
     * @param placements what the kubelet would give to the pod, in each state of the node; called only for one that demands alignment
     */
    public Optional<TentativeDevices> with(PodFacts pod, Supplier<List<Optional<Placement>>> placements) {
        if (!node.claims().concern(pod)) {
            return Optional.of(this);
        }
        Optional<AlignmentDemand> demand;
        try {
            demand = AlignmentDemand.of(pod);
        } catch (IllegalArgumentException invalid) {
            return Optional.empty();
        }
        Placed next =
                new Placed(pod, demand.equals(Optional.of(AlignmentDemand.REQUIRED)) ? placements.get() : List.of());
        ClaimNeeds needs = needs(next);
        return areUsable(next) && areNear(next, needs) ? placing(next, needs) : Optional.empty();
    }

    /** An allocated claim ties its pods to a node. */
    private boolean areUsable(Placed pod) {
        return node.claims().claimsOf(pod.pod()).stream()
                .flatMap(claim -> claim.allocation().stream())
                .flatMap(allocation -> allocation.node().stream())
                .allMatch(node.facts().name()::equals);
    }

    private boolean areNear(Placed pod, ClaimNeeds needs) {
        return pod.near().stream()
                .allMatch(placement -> placement
                        .filter(predicted -> AlignmentCheck.of(needs, left, predicted, areKnown)
                                .violation()
                                .isEmpty())
                        .isPresent());
    }

    private ClaimNeeds needs(Placed pod) {
        return node.claims()
                .needs(pod.pod(), node.facts(), node.budget().of(pod.pod()))
                .without(served);
    }

    private Optional<TentativeDevices> placing(Placed pod, ClaimNeeds needs) {
        ClaimNeeds local =
                pod.near().isEmpty() ? needs.withoutServed(node.claims().devicesOfNoNode()) : needs;
        List<Placed> all = new ArrayList<>(placed);
        all.add(pod);
        Set<String> keys = new HashSet<>(served);
        keys.addAll(needs.keys());
        Optional<Set<Device>> known = areKnown && local.keys().equals(needs.keys()) && !needs.areForAdmins()
                ? new ClaimFit(needs, left).predicted()
                : Optional.empty();
        if (known.isPresent()) {
            NodeDevices rest = left.held(known.get(), pod.pod().key());
            return Optional.of(new TentativeDevices(node, all, keys, true, rest, counted));
        }
        ClaimFit fit = new ClaimFit(local, left);
        Predicate<Device> usable = pod.takes();
        return fit.allocatable(usable) == Match.NO
                ? Optional.empty()
                : counted.with(fit.needed(usable), needs.budget())
                        .map(more -> new TentativeDevices(node, all, keys, false, left, more));
    }

    /**
     * These devices after some pods have ended. A claim is deallocated when it is reserved for none but these pods (kube-controller-manager,
     * resourceclaim/controller.go, syncClaim).
     */
    public TentativeDevices without(Collection<PodFacts> ended) {
        if (ended.stream().noneMatch(node.claims()::concern)) {
            return this;
        }
        Set<String> uids = ended.stream().flatMap(pod -> pod.uid().stream()).collect(Collectors.toSet());
        Set<String> freed = ended.stream()
                .flatMap(pod -> node.claims().claimsOf(pod).stream())
                .filter(claim -> !claim.reservedFor().isEmpty() && uids.containsAll(claim.reservedFor()))
                .map(ResourceClaim::key)
                .collect(Collectors.toSet());
        Set<String> keys = ended.stream().map(PodFacts::key).collect(Collectors.toSet());
        return of(released(freed::contains))
                .withFitting(
                        placed.stream().filter(each -> !keys.contains(each.pod().key())));
    }

    private TentativeDevices withFitting(Stream<Placed> pods) {
        return pods.reduce(
                this, (before, pod) -> before.placing(pod, before.needs(pod)).orElse(before), (one, other) -> other);
    }
}
