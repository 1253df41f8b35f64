package io.numaledger.bridge.node;

import io.numaledger.annotation.Annotations;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.Assumption.Kind;
import io.numaledger.bridge.node.InitHoldings.Kept;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Charges a node with its pods, one after the other, each by the best record that it has.
 *
 * <table>
 * <caption>what a pod is charged with</caption>
 * <tr><th>record</th><th>charge</th></tr>
 * <tr><td>{@code numaledger.io/placement}</td><td>exactly that; with plain init containers, {@link InitHoldings what they keep}, too</td></tr>
 * <tr><td>{@code kai.scheduler/numa-placement-observed}</td><td>what the model predicts if its amounts are the same, else any
 * CPUs and devices of the zones</td></tr>
 * <tr><td>our own reservation</td><td>exactly that</td></tr>
 * <tr><td>{@code kai.scheduler/numa-placement-predicted}</td><td>as with the observed one</td></tr>
 * <tr><td>none, not running yet</td><td>what the model predicts</td></tr>
 * <tr><td>none, running</td><td>what the topology's available amounts lack, for all such pods together</td></tr>
 * </table>
 */
final class Holdings {

    private final KubeletModel kubelet;
    private final NodeTopology topology;
    private final RecordTexts records;
    private final Allocations allocations;
    private final InitHoldings initHoldings;
    private final SortedSet<Assumption> assumptions = new TreeSet<>();
    private final List<HeldPod> pods = new ArrayList<>();
    private final List<PodFacts> waiting = new ArrayList<>();
    private final List<PodFacts> unrecorded = new ArrayList<>();
    private final List<Kept> keeping = new ArrayList<>();
    private NodeState state;

    Holdings(KubeletModel kubelet, NodeTopology topology, RecordTexts records) {
        this.kubelet = kubelet;
        this.topology = topology;
        this.records = records;
        this.allocations = new Allocations(kubelet);
        this.initHoldings = new InitHoldings(kubelet);
        this.state = kubelet.empty();
    }

    NodeState state() {
        return state;
    }

    List<HeldPod> pods() {
        return pods;
    }

    SortedSet<Assumption> assumptions() {
        return assumptions;
    }

    /** First, for all pods, the surest first: what is observed stands. */
    void add(PodFacts pod) {
        try {
            if (!addObserved(pod)) {
                waiting.add(pod);
            }
        } catch (IllegalArgumentException e) {
            assumptions.add(new Assumption(Kind.RECORD_CONFLICT, e.getMessage()));
            waiting.add(pod);
        }
    }

    /** Then the others: a prediction gives way to what was observed meanwhile. */
    void addWaiting(Map<String, PodAllocation> reserved) {
        waiting.sort(PodFacts.BY_AGE);
        waiting.removeIf(this::keepsInitOnly);
        chargeKept();
        for (PodFacts pod : waiting) {
            Optional<PodAllocation> own = Optional.ofNullable(reserved.get(pod.key()));
            try {
                if (!addReserved(pod, own) && !addPredicted(pod)) {
                    unrecorded.add(pod);
                }
            } catch (IllegalArgumentException e) {
                if (!addExpected(pod)) {
                    assumptions.add(new Assumption(Kind.RECORD_CONFLICT, e.getMessage()));
                    unrecorded.add(pod);
                }
            }
            chargeKept();
        }
        addUnrecorded();
    }

    /** Where the kubelet will put it, or has put it, now that others came first. */
    private boolean addExpected(PodFacts pod) {
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            PodAllocation running = Allocations.running(pod.request(), admitted);
            assumptions.add(new Assumption(Kind.NOT_YET_SEEN, "pod=" + pod.key()));
            take(pod, RecordSource.EXPECTED, running, kubelet.started(decision.state(), pod.request()));
            return true;
        }
        return false;
    }

    private boolean addObserved(PodFacts pod) {
        Optional<String> exact = pod.annotation(Annotations.PLACEMENT);
        if (exact.isPresent()) {
            PodAllocation held = records.allocation(pod, exact.get());
            if (!pod.terminating() || isLeftAlone(held)) {
                addExactly(pod, held, RecordSource.OBSERVED_EXACTLY);
            }
            return true;
        }
        Optional<String> observed = pod.annotation(Annotations.OBSERVED);
        observed.ifPresent(text -> addAmounts(pod, records.placement(text), RecordSource.OBSERVED));
        return observed.isPresent();
    }

    /** Another pod has none of its CPUs; if one has, the kubelet has let go of this one. */
    private boolean isLeftAlone(PodAllocation held) {
        return state.cpus().stream()
                .allMatch(cpus -> held.containers().stream()
                        .allMatch(container -> cpus.shared().containsAll(container.cpus())));
    }

    private boolean addReserved(PodFacts pod, Optional<PodAllocation> reserved) {
        reserved.ifPresent(held -> {
            assumptions.add(new Assumption(Kind.NOT_YET_SEEN, "pod=" + pod.key()));
            addExactly(pod, held, RecordSource.RESERVED);
        });
        return reserved.isPresent();
    }

    private boolean addPredicted(PodFacts pod) {
        Optional<String> predicted = pod.annotation(Annotations.PREDICTED);
        if (predicted.isPresent()) {
            assumptions.add(new Assumption(Kind.NOT_YET_SEEN, "pod=" + pod.key()));
            addAmounts(pod, records.placement(predicted.get()), RecordSource.PREDICTED);
            return true;
        }
        return false;
    }

    private void addExactly(PodFacts pod, PodAllocation held, RecordSource source) {
        PodAllocation own = allocations.withOwnDevices(state, held);
        boolean known = source == RecordSource.OBSERVED_EXACTLY && recordsHaveInitContainers();
        Optional<Kept> kept = known ? Optional.empty() : initHoldings.find(state, pod, own);
        take(pod, source, own, kubelet.holding(state, own));
        kept.ifPresent(keeping::add);
    }

    private boolean recordsHaveInitContainers() {
        return "published".equals(topology.attributes().get(TopologyAttributes.INIT_CONTAINERS));
    }

    /** After all that is known to the id: what is kept lies wherever nothing else is. */
    private void chargeKept() {
        for (Kept kept : keeping) {
            assumptions.add(
                    new Assumption(Kind.INIT_CONTAINERS, "pod=" + kept.pod().key()));
            state = initHoldings.charge(state, kept);
        }
        keeping.clear();
    }

    /** A pod that runs without anything of its own, after init containers that had some, keeps what those had. */
    private boolean keepsInitOnly(PodFacts pod) {
        if (!InitHoldings.hasInitContainers(pod)
                || !(kubelet.admit(state, pod.request()).admission() instanceof Admitted admitted)) {
            return false;
        }
        PodAllocation running = Allocations.running(pod.request(), admitted);
        Optional<Kept> kept = initHoldings
                .find(state, pod, running)
                .filter(any -> running.containers().stream().allMatch(container -> container.isEmpty()));
        kept.ifPresent(keeping::add);
        return kept.isPresent();
    }

    private void addAmounts(PodFacts pod, Placement placement, RecordSource source) {
        Decision decision = kubelet.admit(state, pod.request());
        if (decision.admission() instanceof Admitted admitted) {
            PodAllocation running = Allocations.running(pod.request(), admitted);
            NodeState after = kubelet.started(decision.state(), pod.request());
            if (matches(placement, running, after)) {
                assumptions.add(new Assumption(Kind.HELD_BY_COUNT, "pod=" + pod.key()));
                take(pod, source, running, after);
                return;
            }
        }
        assumptions.add(new Assumption(Kind.HELD_BY_COUNT, "pod=" + pod.key()));
        PodAllocation any = allocations.ofAmounts(state, pod.namespace(), pod.name(), placement);
        take(pod, source, any, kubelet.holding(state, any));
    }

    /** The amounts are those of the prediction; memory over several zones may be missing from the record. */
    private boolean matches(Placement record, PodAllocation running, NodeState after) {
        Placement full = allocations.placement(state, after, running);
        if (full.equals(record)) {
            return true;
        }
        boolean shares = running.containers().stream()
                .flatMap(container -> container.memory().stream())
                .anyMatch(block -> block.numaNodes().size() > 1);
        if (!shares || !withoutMemory(full).equals(withoutMemory(record))) {
            return false;
        }
        assumptions.add(Assumption.of(Kind.MEMORY_GROUPS));
        return true;
    }

    private static Placement withoutMemory(Placement placement) {
        Placement.Builder kept = new Placement.Builder();
        placement
                .zones()
                .forEach((id, amounts) -> amounts.byResource().forEach((resource, amount) -> {
                    if (resource.equals(Amounts.CPU) || DeviceReader.isDevice(resource)) {
                        kept.add(id, resource, amount);
                    }
                }));
        return kept.build();
    }

    private void take(PodFacts pod, RecordSource source, PodAllocation held, NodeState after) {
        Placement placement = allocations.placement(state, after, held);
        state = after;
        if (!placement.isEmpty()) {
            pods.add(new HeldPod(pod.key(), source, pod.terminating(), placement));
        }
    }

    /** Pods without a record, after all that have one. */
    private void addUnrecorded() {
        List<PodFacts> strangers = new ArrayList<>();
        for (PodFacts pod : unrecorded) {
            Decision decision = kubelet.admit(state, pod.request());
            if (decision.admission() instanceof Admitted admitted) {
                PodAllocation running = Allocations.running(pod.request(), admitted);
                boolean holdsNothing = running.containers().stream().allMatch(container -> container.isEmpty());
                boolean expected = !pod.running() || sharesMemoryOnly(running);
                if (!holdsNothing && expected) {
                    Kind kind = pod.running() ? Kind.MEMORY_GROUPS : Kind.NOT_YET_SEEN;
                    assumptions.add(new Assumption(kind, "pod=" + pod.key()));
                    take(pod, RecordSource.EXPECTED, running, kubelet.started(decision.state(), pod.request()));
                }
                if (holdsNothing || expected) {
                    continue;
                }
            }
            strangers.add(pod);
        }
        for (PodFacts pod : strangers) {
            assumptions.add(new Assumption(Kind.NO_RECORD, "pod=" + pod.key()));
        }
        if (!strangers.isEmpty()) {
            chargeMissing(strangers.size() == 1 ? strangers.get(0).key() : "*", RecordSource.AGGREGATE);
        }
    }

    /** KAI's own exporter writes no record of such a pod. */
    private static boolean sharesMemoryOnly(PodAllocation running) {
        return running.containers().stream()
                .allMatch(container -> container.cpus().isEmpty()
                        && container.devices().isEmpty()
                        && container.memory().stream()
                                .allMatch(block -> block.numaNodes().size() > 1));
    }

    /** Charges what the available amounts lack beyond what is charged already. */
    void chargeMissing(String key, RecordSource source) {
        Placement.Builder known = new Placement.Builder();
        pods.forEach(pod -> known.add(pod.placement()));
        Map<Integer, Amounts> charged = known.build().zones();
        Placement.Builder missing = new Placement.Builder();
        topology.numaZones()
                .forEach((id, zone) -> zone.resources().forEach((resource, amounts) -> {
                    long gone = lacking(amounts)
                            - charged.getOrDefault(id, Amounts.NONE).get(resource);
                    if (gone > 0) {
                        missing.add(id, resource, gone);
                    }
                }));
        Placement rest = missing.build();
        if (!rest.isEmpty()) {
            int slash = key.indexOf('/');
            PodAllocation any =
                    allocations.ofAmounts(state, key.substring(0, Math.max(0, slash)), key.substring(slash + 1), rest);
            state = kubelet.holding(state, any);
            pods.add(new HeldPod(key, source, false, rest));
        }
    }

    private static long lacking(ZoneResource amounts) {
        return amounts.allocatable() - amounts.available();
    }
}
