package io.numaledger.scheduling.state;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.alignment.TentativeDevices;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.HostPort;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.evaluation.fit.TentativeNode.State;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.pod.PodRequest;
import io.numaledger.scheduling.state.PossibleSnapshots.ClassifiedSnapshot;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What is used of one node at one instant.
 *
 * @param version of the node's state
 * @param pods bound or reserved here, and not ended
 * @param requested what they request together
 * @param ports those of the node that they have
 * @param reserved for pods that are to run here and are not bound yet
 * @param claims of all pods
 * @param budget of the call that evaluates pods on the node
 */
public record NodeUse(
        long version,
        PossibleSnapshots snapshots,
        List<PodFacts> pods,
        SortedMap<String, Long> requested,
        List<HostPort> ports,
        List<Reservation> reserved,
        ClaimLookup claims,
        EvaluationBudget budget) {

    static NodeUse of(
            long version,
            PossibleSnapshots snapshots,
            List<PodFacts> pods,
            List<Reservation> reserved,
            ClaimLookup claims) {
        return new NodeUse(
                version,
                snapshots,
                List.copyOf(pods),
                NodeFit.requested(pods),
                NodeFit.hostPorts(pods),
                reserved,
                claims,
                EvaluationBudget.NONE);
    }

    /** This node's use, not reserved for some pods. */
    public NodeUse withoutReserved(Predicate<Reservation> leaving) {
        return new NodeUse(
                version,
                snapshots,
                pods,
                requested,
                ports,
                reserved.stream().filter(leaving.negate()).toList(),
                claims,
                budget);
    }

    /** This node's use, for a call with another budget. */
    public NodeUse within(EvaluationBudget other) {
        return new NodeUse(version, snapshots, pods, requested, ports, reserved, claims, other);
    }

    /**
     * This node's use with another kubelet, and those of its pods that run on.
     *
     * @param nodeClass absent where nothing is known of the node's zones
     */
    public NodeUse with(NodeSnapshot snapshot, Optional<NodeEquivalenceClass> nodeClass, List<PodFacts> left) {
        PossibleSnapshots one = new PossibleSnapshots(
                new ClassifiedSnapshot(snapshot, nodeClass), List.of(), List.of(), false, Map.of(), Optional.empty());
        return of(version, one, left, reserved, claims).within(budget);
    }

    /** This node's use, with other claims of pods. */
    public NodeUse withClaims(ClaimLookup others) {
        return new NodeUse(version, snapshots, pods, requested, ports, reserved, others, budget);
    }

    public NodeFacts node() {
        return snapshots.likeliest().snapshot().node();
    }

    /** Whether its zones are known. */
    public boolean isModelled() {
        return snapshots.likeliest().snapshot().model().kubelet().isPresent();
    }

    /**
     * How many times the node as a whole has room for a request, zones and reservations apart.
     *
     * @param request see {@link NodeFit#requested(PodRequest)}
     * @param most the result at most
     */
    public int roomFor(SortedMap<String, Long> request, int most) {
        return NodeFit.copies(node(), request, requested, most);
    }

    /** Whether it is ready, its zones are known, and its constraints take a pod. Room and ports apart. */
    public boolean mayTake(PodFacts pod) {
        return isModelled()
                && node().constraints().ready().orElse(true)
                && pod.constraints()
                        .conflicts(node().name(), node().constraints())
                        .isEmpty();
    }

    /** The node as it is now, and as it would be if its terminating pods had ended: pods are placed where they fit both. */
    public TentativeNode now() {
        return tentative(snapshots.snapshots());
    }

    /** The node as it is now, before any of its terminating pods has ended. */
    TentativeNode beforeReleases() {
        return tentative(snapshots.beforeReleases());
    }

    private TentativeNode tentative(Stream<NodeSnapshot> states) {
        return new TentativeNode(
                node(),
                states.map(snapshot -> new State(snapshot, snapshot.now())).toList(),
                requested,
                ports,
                devices(),
                budget);
    }

    /** The node after its terminating pods have ended. */
    public TentativeNode afterReleases() {
        return beforeReleases().released(terminating());
    }

    private List<PodFacts> terminating() {
        return pods.stream().filter(PodFacts::terminating).toList();
    }

    private TentativeDevices devices() {
        return TentativeDevices.of(
                claims, node(), snapshots.likeliest().snapshot().model().allocatesInOrder(), budget);
    }

    /** The node after its terminating pods, and those that match, have ended. */
    public TentativeNode without(Predicate<PodFacts> leaving) {
        return afterReleases()
                .without(pods.stream()
                        .filter(pod -> !pod.terminating() && leaving.test(pod))
                        .toList());
    }

    /**
     * A state of this node that takes only pods beside which these fit, when the pods that they await have ended, and those that are
     * terminating.
     *
     * @param gone the pods that the state is without
     */
    public TentativeNode expecting(TentativeNode state, List<Reservation> waiting, Predicate<PodFacts> gone) {
        if (waiting.stream().noneMatch(Reservation::awaitsOthers)) {
            return state;
        }
        Set<String> awaited =
                waiting.stream().flatMap(each -> each.awaited().stream()).collect(Collectors.toSet());
        List<PodFacts> ending = pods.stream()
                .filter(pod -> !gone.test(pod)
                        && (pod.terminating()
                                || pod.uid().filter(awaited::contains).isPresent()))
                .toList();
        return state.expecting(ending, waiting.stream().map(Reservation::pod).toList());
    }

    /** The node without any pods. */
    public TentativeNode empty() {
        NodeSnapshot snapshot = snapshots.likeliest().snapshot();
        return new TentativeNode(
                node(),
                List.of(new State(snapshot, snapshot.model().kubelet().map(KubeletModel::empty))),
                Collections.emptySortedMap(),
                List.of(),
                devices().empty(),
                budget);
    }
}
