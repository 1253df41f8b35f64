package io.numaledger.evaluation.fit;

import io.numaledger.evaluation.alignment.TentativeDevices;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.HostPort;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.kubelet.NodeState;
import io.numaledger.resource.Saturating;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A node on which pods are placed tentatively, one after the other: by its zones, by the devices of their claims, and by node-level requests.
 * Nothing is placed beyond the budget of the call. Immutable.
 */
public final class TentativeNode {

    /** About how many states are followed of a node whose kubelet draws devices. */
    private static final int MAX_STATES = 32;

    private final NodeFacts node;
    private final List<State> states;
    private final SortedMap<String, Long> requested;
    private final List<HostPort> ports;
    private final TentativeDevices devices;
    private final Optional<Expected> expected;
    private final EvaluationBudget budget;

    /** Pods that are to run here when others have ended. */
    private record Expected(List<PodFacts> ended, List<PodFacts> pods) {}

    /**
     * One state in which the node may be.
     *
     * @param state absent where nothing is known of the node's zones
     */
    public record State(NodeSnapshot snapshot, Optional<NodeState> state) {

        /** The states with the pod: several where the kubelet draws; none if it does not take the pod. */
        private List<State> with(PodFacts pod) {
            if (state.isEmpty()) {
                return FullModel.admits(snapshot, state, pod) ? List.of(this) : List.of();
            }
            return FullModel.after(snapshot, state.get(), pod).stream()
                    .map(after -> new State(snapshot, Optional.of(after)))
                    .toList();
        }

        private State without(Set<String> ended) {
            return new State(snapshot, state.map(before -> snapshot.ended(before, ended)));
        }

        private State released() {
            return new State(snapshot, state.map(snapshot::released));
        }
    }

    /**
     * A node with the pods that it has.
     *
     * @param states at least one; pods are placed only where they fit all of them
     * @param requested what its pods request together, see {@link NodeFit#requested}
     * @param ports which they have, see {@link NodeFit#hostPorts}
     */
    public TentativeNode(
            NodeFacts node,
            List<State> states,
            SortedMap<String, Long> requested,
            List<HostPort> ports,
            TentativeDevices devices,
            EvaluationBudget budget) {
        this(node, states, requested, ports, devices, Optional.empty(), budget);
    }

    private TentativeNode(
            NodeFacts node,
            List<State> states,
            SortedMap<String, Long> requested,
            List<HostPort> ports,
            TentativeDevices devices,
            Optional<Expected> expected,
            EvaluationBudget budget) {
        this.node = node;
        this.states = List.copyOf(states);
        this.requested = requested;
        this.ports = ports;
        this.devices = devices;
        this.expected = expected;
        this.budget = budget;
    }

    /**
     * This node, which takes only pods beside which the expected ones fit when others have ended. Expected pods that do not fit then do not count.
     *
     * @param ended the others
     */
    public TentativeNode expecting(Collection<PodFacts> ended, Collection<PodFacts> pods) {
        List<PodFacts> fitting = without(ended).fitting(pods);
        return fitting.isEmpty()
                ? this
                : new TentativeNode(
                        node,
                        states,
                        requested,
                        ports,
                        devices,
                        Optional.of(new Expected(List.copyOf(ended), fitting)),
                        budget);
    }

    /** This node without a cordon. */
    public TentativeNode uncordoned() {
        return new TentativeNode(node.uncordoned(), states, requested, ports, devices, expected, budget);
    }

    /** This node in the likeliest of its states only. */
    public TentativeNode likeliest() {
        return new TentativeNode(node, states.subList(0, 1), requested, ports, devices, expected, budget);
    }

    public String name() {
        return node.name();
    }

    /**
     * Whether it takes a pod by its zones, in every state, and by the devices of its claims. Also where nothing is known of its zones, or the
     * model gives no answer.
     */
    public boolean admitsByZones(PodFacts pod) {
        return takes(pod)
                && states.stream().allMatch(state -> FullModel.admits(state.snapshot(), state.state(), pod))
                && devicesWith(pod).isPresent();
    }

    /** Takes the work of placing a pod from the budget. Returns false once it is used up, or the pod's part of it. */
    private boolean takes(PodFacts pod) {
        return budget.of(pod).take(cost(pod, states.size()));
    }

    private static long cost(PodFacts pod, int states) {
        return EvaluationBudget.PLACEMENT
                * (long) pod.request().inAllocationOrder().size()
                * states;
    }

    /** Whether the evaluation of a pod was too much work, so that it is not known whether the node takes it. */
    public boolean isNotEvaluated(PodFacts pod) {
        return budget.of(pod).isUsedUp();
    }

    private Optional<TentativeDevices> devicesWith(PodFacts pod) {
        return devices.with(
                pod,
                () -> states.stream()
                        .map(state -> FullModel.placement(state.snapshot(), state.state(), pod))
                        .toList());
    }

    /** This node with one pod more; absent if it does not take the pod. */
    public Optional<TentativeNode> with(PodFacts pod) {
        SortedMap<String, Long> request = NodeFit.requested(pod.nodeLevel());
        if (!NodeFit.hasRoom(node, request, requested)
                || !takes(pod)
                || pod.constraints().lackPortBeside(ports)) {
            return Optional.empty();
        }
        List<State> after = new ArrayList<>();
        for (State state : states) {
            List<State> next = state.with(pod);
            if (next.isEmpty() || (next.size() > 1 && !budget.of(pod).take(cost(pod, next.size() - 1)))) {
                return Optional.empty();
            }
            after.addAll(after.size() < MAX_STATES ? next : next.subList(0, 1));
        }
        Optional<TentativeDevices> left = devicesWith(pod);
        if (left.isEmpty()) {
            return Optional.empty();
        }
        SortedMap<String, Long> all = new TreeMap<>(requested);
        request.forEach((resource, amount) -> all.merge(resource, amount, Saturating::add));
        TentativeNode with = new TentativeNode(
                node, after, all, both(ports, pod.constraints().hostPorts()), left.get(), expected, budget);
        return expected.isEmpty()
                        || with.without(expected.get().ended())
                                .takesEvaluated(expected.get().pods())
                ? Optional.of(with)
                : Optional.empty();
    }

    /** Whether it takes all of these pods together, apart from those that are too costly to evaluate. */
    private boolean takesEvaluated(List<PodFacts> pods) {
        TentativeNode result = this;
        for (PodFacts pod : pods) {
            Optional<TentativeNode> next = result.with(pod);
            if (next.isEmpty() && !isNotEvaluated(pod)) {
                return false;
            }
            result = next.orElse(result);
        }
        return true;
    }

    /** This node after all its terminating pods have ended. */
    public TentativeNode released(Collection<PodFacts> terminating) {
        return ended(states.stream().map(State::released).toList(), terminating);
    }

    /** This node after some pods have ended. A pod without a record frees only what it requests of the node, no zones. */
    public TentativeNode without(Collection<PodFacts> ended) {
        Set<String> keys = ended.stream().map(PodFacts::key).collect(Collectors.toSet());
        return ended(states.stream().map(state -> state.without(keys)).toList(), ended);
    }

    private TentativeNode ended(List<State> after, Collection<PodFacts> ended) {
        SortedMap<String, Long> left = new TreeMap<>(requested);
        NodeFit.requested(ended)
                .forEach((resource, amount) ->
                        left.computeIfPresent(resource, (any, sum) -> Saturating.subtract(sum, amount)));
        return new TentativeNode(
                node, after, left, without(ports, NodeFit.hostPorts(ended)), devices.without(ended), budget);
    }

    /** The ports that are left. Each port goes once: pods that name their node may have the same port. */
    private static List<HostPort> without(List<HostPort> ports, List<HostPort> gone) {
        if (gone.isEmpty()) {
            return ports;
        }
        Map<HostPort, Integer> going = new HashMap<>();
        gone.forEach(port -> going.merge(port, 1, Integer::sum));
        List<HostPort> left = new ArrayList<>();
        for (HostPort port : ports) {
            if (going.merge(port, -1, Integer::sum) < 0) {
                left.add(port);
            }
        }
        return left;
    }

    private static List<HostPort> both(List<HostPort> some, List<HostPort> more) {
        return more.isEmpty()
                ? some
                : Stream.concat(some.stream(), more.stream()).toList();
    }

    /** Whether it has what the pod requests of the node as a whole, ports included, beside what others are to request. Zones apart. */
    public boolean hasRoom(PodFacts pod, Collection<PodFacts> others) {
        if (pod.constraints().lackPortBeside(both(ports, NodeFit.hostPorts(others)))) {
            return false;
        }
        SortedMap<String, Long> all = new TreeMap<>(requested);
        NodeFit.requested(others).forEach((resource, amount) -> all.merge(resource, amount, Saturating::add));
        return NodeFit.hasRoom(node, NodeFit.requested(pod.nodeLevel()), all);
    }

    /** What of the node as a whole keeps a pod away, its constraints included. Zones apart. */
    public Optional<Refused> obstacle(PodFacts pod) {
        return NodeFit.obstacle(node, pod.constraints(), NodeFit.requested(pod.nodeLevel()), requested, ports);
    }

    /** Whether it takes a pod, by its zones and as a whole, its constraints apart. */
    public boolean admits(PodFacts pod) {
        return hasRoom(pod, List.of()) && admitsByZones(pod);
    }

    /** This node with more pods, one after the other; absent if it does not take one of them. */
    public Optional<TentativeNode> withAll(Collection<PodFacts> pods) {
        Optional<TentativeNode> result = Optional.of(this);
        for (PodFacts pod : pods) {
            result = result.flatMap(before -> before.with(pod));
        }
        return result;
    }

    /** This node with those of some pods that it takes, one after the other. */
    public TentativeNode withFitting(Collection<PodFacts> pods) {
        TentativeNode result = this;
        for (PodFacts pod : pods) {
            result = result.with(pod).orElse(result);
        }
        return result;
    }

    /** A node after copies of a pod. */
    public record Filled(TentativeNode node, int copies) {

        /** The next copy. */
        public PodFacts next(PodFacts pod) {
            return pod.requesting(pod.request().named("%s-%d".formatted(pod.key(), copies)));
        }
    }

    /**
     * This node with copies of a pod, one after the other until it refuses one.
     *
     * @param each the pod of a number from 0; all request the same
     */
    public Filled filled(int most, IntFunction<PodFacts> each) {
        Filled filled = new Filled(this, 0);
        while (filled.copies() < most) {
            Optional<TentativeNode> next = filled.node().with(filled.next(each.apply(filled.copies())));
            if (next.isEmpty()) {
                break;
            }
            filled = new Filled(next.get(), filled.copies() + 1);
        }
        return filled;
    }

    /** The pods that {@link #withFitting} places. */
    public List<PodFacts> fitting(Collection<PodFacts> pods) {
        List<PodFacts> fitting = new ArrayList<>();
        TentativeNode result = this;
        for (PodFacts pod : pods) {
            Optional<TentativeNode> next = result.with(pod);
            next.ifPresent(any -> fitting.add(pod));
            result = next.orElse(result);
        }
        return fitting;
    }

    /**
     * The evaluation by zones in the first state, or the refusal in another one. The devices of claims do not count.
     *
     * @param otherwise a part of a sentence: when the node is in another state than the first
     */
    public Evaluation evaluate(PodFacts pod, String otherwise) {
        return evaluate(states.get(0), pod)
                .unless(() -> states.stream()
                        .skip(1)
                        .flatMap(state -> evaluate(state, pod).refused().stream())
                        .map(refused -> refused.explained(otherwise))
                        .findFirst());
    }

    private static Evaluation evaluate(State state, PodFacts pod) {
        return FullModel.evaluate(state.snapshot(), state.state(), pod);
    }

    /** What is held in the likeliest state; absent where nothing is known of the node's zones. */
    public Optional<NodeState> likeliestState() {
        return states.get(0).state();
    }

    /** The state whose kubelet alone decides on each pod that has no claims and demands nothing else; absent: more than it decides. */
    public Optional<NodeState> decisiveState() {
        State first = states.get(0);
        return states.size() == 1 && expected.isEmpty() && first.snapshot().isDecidedByModel()
                ? first.state()
                : Optional.empty();
    }

    /** See {@link NodeFit#freeShare}. */
    public long freeShare() {
        return NodeFit.freeShare(node, requested);
    }

    /** How many pods like this one have room by node-level requests alone. */
    public int roomFor(PodFacts pod, int most) {
        if (pod.constraints().lackPortBeside(ports)) {
            return 0;
        }
        int together = pod.constraints().hostPorts().isEmpty() ? most : Math.min(most, 1);
        return NodeFit.copies(node, NodeFit.requested(pod.nodeLevel()), requested, together);
    }
}
