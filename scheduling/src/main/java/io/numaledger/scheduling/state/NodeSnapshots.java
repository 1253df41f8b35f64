package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.FullModel;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.Assumption;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.NodeUnknowns;
import io.numaledger.evaluation.snapshot.ObservedPods;
import io.numaledger.evaluation.snapshot.PredictedAllocation;
import io.numaledger.evaluation.snapshot.PredictedRecord;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.scheduling.state.PossibleSnapshots.ClassifiedSnapshot;
import io.numaledger.scheduling.state.PossibleStates.Placements;
import io.numaledger.scheduling.state.PossibleStates.State;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Builds the snapshots of one node: from its objects, its pods and the states in which it may be, because the kubelet may have placed pods in
 * flight otherwise than predicted. The node's lock guards it.
 */
final class NodeSnapshots {

    private final NodeParts parts;
    private final SharedByNodes shared;
    private final NodeObjects objects;
    private final NodePods pods;
    private final DoubtfulRecords doubtful;
    private final PossibleStates possible;
    private final ObservedPods observed = new ObservedPods();

    NodeSnapshots(NodeParts parts) {
        this.parts = parts;
        this.shared = parts.shared();
        this.objects = parts.objects();
        this.pods = parts.pods();
        this.doubtful = parts.doubtful();
        this.possible = new PossibleStates(shared.clock(), this::admit);
    }

    /** The states in which the node may be. */
    PossibleStates possible() {
        return possible;
    }

    private Placements admit(State state, PodFacts pod) {
        return placements(pod, FullModel.evaluate(build(state, NodeUnknowns.NONE, doubtful.setAside()), pod));
    }

    /** Where the kubelet may place a pod, by its evaluation. */
    Placements placements(PodFacts pod, Evaluation evaluation) {
        Optional<PredictedPlacement> predicted = evaluation instanceof Fits fits ? fits.placement() : Optional.empty();
        if (predicted.isEmpty()) {
            return Placements.REFUSED;
        }
        Instant now = shared.clock().instant();
        List<PodInFlight> possible = new ArrayList<>();
        possible.add(new PodInFlight(
                pod, predicted.get().allocation(), predicted.get().placement(), now, false));
        if (!refusesForZones()) {
            return new Placements(possible, true);
        }
        predicted.get().others().stream()
                .map(other -> new PodInFlight(pod, other.allocation(), other.placement(), now, false))
                .forEach(possible::add);
        return new Placements(possible, predicted.get().complete());
    }

    /** Whether the policy refuses pods for the zones of devices. With other policies, these zones decide on no pod. */
    private boolean refusesForZones() {
        return objects.model()
                .flatMap(NodeModel::kubelet)
                .map(kubelet -> kubelet.rules().topologyPolicy())
                .filter(policy ->
                        policy == TopologyPolicyName.RESTRICTED || policy == TopologyPolicyName.SINGLE_NUMA_NODE)
                .isPresent();
    }

    /**
     * Takes over the reservations of pods in flight that another process has bound: another replica, or this one before a restart. Their
     * placement is as uncertain as that of pods that this process has bound.
     */
    void adoptInFlight() {
        Instant before = shared.clock().instant().minus(PossibleStates.ADMISSION_LIMIT);
        List<PodFacts> inFlight = pods.all().values().stream()
                .filter(pod -> isUnobserved(pod)
                        && !possible.reservations().containsKey(pod.key())
                        && (!pod.running()
                                || pod.startedAt().filter(before::isBefore).isPresent()))
                .sorted(PodFacts.BY_AGE)
                .toList();
        if (!inFlight.isEmpty()
                && objects.model().filter(any -> any.kubelet().isPresent()).isPresent()) {
            inFlight.forEach(pod -> shared.nodesOfPods().add(pod, parts.name()));
            possible.adopt(inFlight, this::recorded, pods.terminating(), parts.isObserving());
        }
    }

    private static boolean isUnobserved(PodFacts pod) {
        return !pod.ended()
                && !pod.terminating()
                && !pod.observed()
                && pod.records().predicted().isPresent();
    }

    private Optional<PodInFlight> recorded(State state, PodFacts pod) {
        return PredictedRecord.of(build(state, NodeUnknowns.NONE, doubtful.setAside()), pod)
                .map(predicted -> new PodInFlight(
                        pod,
                        predicted.allocation(),
                        predicted.placement(),
                        shared.clock().instant(),
                        true));
    }

    /** The snapshots of all possible states, the likeliest first. They are built once more if the records that are set aside are others than before. */
    List<ClassifiedSnapshot> build(NodeUnknowns unknowns) {
        doubtful.keep(pods.all());
        Set<String> setAside = doubtful.setAside();
        List<NodeSnapshot> built = buildAll(unknowns, setAside);
        objects.topology().ifPresent(zones -> doubtful.check(zones, pods.all(), built.get(0)));
        Set<String> found = doubtful.setAside();
        return (found.equals(setAside) ? built : buildAll(unknowns, found))
                .stream().map(this::classified).toList();
    }

    private ClassifiedSnapshot classified(NodeSnapshot snapshot) {
        return new ClassifiedSnapshot(snapshot, shared.classes().of(snapshot));
    }

    /** Each of these states after its terminating pods have ended; states without any are left out. */
    List<ClassifiedSnapshot> releases(List<ClassifiedSnapshot> built) {
        return built.stream()
                .map(ClassifiedSnapshot::snapshot)
                .filter(snapshot -> !snapshot.releasing().isEmpty())
                .map(snapshot -> classified(snapshot.released(snapshot.releasing())))
                .toList();
    }

    private List<NodeSnapshot> buildAll(NodeUnknowns unknowns, Set<String> setAside) {
        return possible.all().stream()
                .map(state -> build(state, unknowns, setAside))
                .toList();
    }

    private NodeSnapshot build(State state, NodeUnknowns unknowns, Set<String> setAside) {
        SortedMap<String, PodFacts> all = new TreeMap<>(pods.all());
        all.keySet().removeAll(possible.reservations().keySet());
        all.keySet().removeAll(state.released());
        Map<String, PredictedAllocation> reserved = new TreeMap<>();
        state.placed().forEach((key, reservation) -> {
            all.put(key, pods.all().getOrDefault(key, reservation.pod()));
            reserved.put(key, reservation.allocation());
        });
        shared.builds().increment();
        NodeSnapshot snapshot = shared.builder()
                .build(
                        objects.node().orElseThrow(),
                        objects.topology(),
                        objects.model().orElseThrow(),
                        all.values(),
                        reserved,
                        observed,
                        setAside,
                        unknowns);
        return pods.isAgentAway() ? snapshot.assuming(Assumption.of(Assumption.Kind.AGENT_AWAY)) : snapshot;
    }
}
