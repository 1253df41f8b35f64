package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.kubelet.NodeState;
import io.numaledger.scheduling.state.NodeUse;
import io.numaledger.scheduling.state.PossibleSnapshots;
import io.numaledger.scheduling.state.Reservation;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** A node on which pods of a group may run. Equal only to itself. Not thread-safe. */
public final class GroupNode {

    private final NodeUse use;
    private final Supplier<TentativeNode> makeStart;
    private final Optional<SharedZones> zones;
    private Optional<TentativeNode> start = Optional.empty();

    /** @param makeStart called once at most: most nodes are only counted, for which their zones suffice */
    private GroupNode(NodeUse use, Supplier<TentativeNode> makeStart, Optional<SharedZones> zones) {
        this.use = use;
        this.makeStart = makeStart;
        this.zones = zones;
    }

    /**
     * The zones of all nodes of a class.
     *
     * @param now the state of one of them
     */
    public record SharedZones(NodeEquivalenceClass nodes, NodeState now) {}

    /** The node as it is now. The pods of others for which it is reserved are taken as running. */
    public static GroupNode now(NodeUse use, Predicate<Reservation> ofOthers) {
        PossibleSnapshots snapshots = use.snapshots();
        boolean isShared = snapshots.states().count() == 1
                && snapshots.likeliest().snapshot().isDecidedByModel()
                && use.reserved().stream().noneMatch(ofOthers);
        Optional<SharedZones> zones = isShared
                ? snapshots
                        .likeliest()
                        .nodeClass()
                        .flatMap(
                                nodes -> snapshots.likeliest().snapshot().now().map(now -> new SharedZones(nodes, now)))
                : Optional.empty();
        return new GroupNode(use, () -> withReserved(use, use.now(), ofOthers, any -> false), zones);
    }

    /** The node after its terminating pods, and those that match, have ended. */
    public static GroupNode without(NodeUse use, Predicate<PodFacts> leaving, Predicate<Reservation> ofOthers) {
        return new GroupNode(
                use,
                () -> withReserved(use, use.without(leaving), ofOthers, pod -> pod.terminating() || leaving.test(pod)),
                Optional.empty());
    }

    /** The node if no pod ran there, and none were planned. */
    public static GroupNode empty(NodeUse use) {
        return new GroupNode(use, use::empty, Optional.empty());
    }

    /** @param gone the pods that the node is without */
    private static TentativeNode withReserved(
            NodeUse use, TentativeNode node, Predicate<Reservation> ofOthers, Predicate<PodFacts> gone) {
        List<Reservation> waiting = new ArrayList<>();
        TentativeNode with = node;
        for (Reservation reservation : use.reserved().stream()
                .filter(ofOthers)
                .sorted(Comparator.comparingInt(each -> -each.pod().priority().value()))
                .toList()) {
            Optional<TentativeNode> next = with.with(reservation.pod());
            if (next.isEmpty()) {
                waiting.add(reservation);
            }
            with = next.orElse(with);
        }
        return use.expecting(with, waiting, gone);
    }

    /** This node with these pods, one after the other; absent if it does not take one of them. */
    public Optional<GroupNode> with(List<PodFacts> pods) {
        return pods.isEmpty()
                ? Optional.of(this)
                : start().withAll(pods).map(filled -> new GroupNode(use, () -> filled, Optional.empty()));
    }

    String name() {
        return use.node().name();
    }

    /** What was used of it when the plan was begun. */
    public NodeUse use() {
        return use;
    }

    /** The node before any pod of the group. */
    public TentativeNode start() {
        if (start.isEmpty()) {
            start = Optional.of(makeStart.get());
        }
        return start.get();
    }

    /** What decides by zones; absent where the node shares no results with others. */
    public Optional<SharedZones> zones() {
        return zones;
    }

    /** Equal for nodes with the same zones, node-level requests and ports; absent where the node equals no other. */
    Optional<Object> equalityKey() {
        return zones.map(shared -> List.of(
                System.identityHashCode(shared.nodes()),
                use.requested(),
                use.ports(),
                use.node().constraints().allocatable()));
    }
}
