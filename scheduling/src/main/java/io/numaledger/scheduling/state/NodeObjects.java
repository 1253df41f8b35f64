package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;
import io.numaledger.evaluation.snapshot.NodeUnknowns;
import io.numaledger.evaluation.snapshot.UnknownNodeAction;
import io.numaledger.evaluation.snapshot.Unmodelled;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.nrt.NodeTopology;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SortedSet;
import java.util.function.BooleanSupplier;

/**
 * The Node and the NodeResourceTopology of one node, and the kubelet model that follows from them. Any thread may read the model; everything
 * else is guarded by the caller.
 */
final class NodeObjects {

    /** What a new NodeResourceTopology changes. */
    enum Change {
        /** Nothing but the time when it was written. */
        AGE,
        /** The available amounts: it describes the same machine and kubelet. */
        AMOUNTS,
        /** The model. */
        MODEL
    }

    private final NodeSnapshotBuilder builder;
    private final NodeClasses classes;
    private final InstantSource clock;
    private final NodeChanges changes;
    private Optional<NodeFacts> published = Optional.empty();

    /** The Node, with the extended resources that DeviceClasses serve. */
    private Optional<NodeFacts> node = Optional.empty();

    private Optional<NodeTopology> topology = Optional.empty();
    private Instant topologyUpdatedAt = Instant.EPOCH;
    private boolean outdated;
    private boolean zonesSeen;
    private Optional<String> unreadable = Optional.empty();
    private Optional<Instant> unmodelledSince = Optional.empty();
    private volatile Optional<NodeModel> model = Optional.empty();

    NodeObjects(NodeSnapshotBuilder builder, NodeClasses classes, InstantSource clock) {
        this.builder = builder;
        this.classes = classes;
        this.clock = clock;
        this.changes = new NodeChanges(builder.settings());
    }

    Optional<NodeFacts> node() {
        return node;
    }

    /** The published zones; absent where none are published, or some that cannot be read. */
    Optional<NodeTopology> topology() {
        return topology;
    }

    /** Whether one is published that cannot be read. */
    boolean isUnreadable() {
        return unreadable.isPresent();
    }

    /** The kubelet model, or why there is none; absent for a node that the API server does not show. */
    Optional<NodeModel> model() {
        return model;
    }

    /**
     * Returns whether it has changed.
     *
     * @param served the extended resources that DeviceClasses serve
     */
    boolean setNode(Optional<NodeFacts> facts, SortedSet<String> served) {
        published = facts;
        Optional<NodeFacts> now = facts.map(known -> known.withDeviceClasses(served));
        if (now.equals(node)) {
            return false;
        }
        node = now;
        updateModel();
        return true;
    }

    /** Updates the Node for other DeviceClasses, of which few change the model. Returns whether the Node has changed. */
    boolean setDeviceClasses(SortedSet<String> served) {
        Optional<NodeFacts> before = node;
        Optional<NodeFacts> now = published.map(known -> known.withDeviceClasses(served));
        if (now.equals(before)) {
            return false;
        }
        node = now;
        if (!now.map(NodeFacts::anonymous).equals(before.map(NodeFacts::anonymous))) {
            updateModel();
        }
        return true;
    }

    /** @param updatedAt when the object was last written */
    Change setTopology(Optional<NodeTopology> published, Instant updatedAt) {
        topologyUpdatedAt = updatedAt;
        if (published.equals(topology) && unreadable.isEmpty() && !outdated) {
            return Change.AGE;
        }
        zonesSeen |= published.filter(any -> !any.zones().isEmpty()).isPresent();
        boolean sameMachine = unreadable.isEmpty()
                && outdatedAt().isEmpty()
                && published.map(NodeModel::decisive).equals(topology.map(NodeModel::decisive));
        topology = published;
        unreadable = Optional.empty();
        if (sameMachine) {
            return Change.AMOUNTS;
        }
        updateModel();
        return Change.MODEL;
    }

    /** A NodeResourceTopology is published that cannot be read. */
    void setUnreadableTopology(String why) {
        topology = Optional.empty();
        unreadable = Optional.of(why);
        updateModel();
    }

    /** When the zones are too old; absent: they may have any age. */
    Optional<Instant> outdatedAt() {
        Duration limit = builder.settings().foreignMaxAge();
        return topology.filter(any -> !limit.isZero() && !any.isFromAgent()).map(any -> topologyUpdatedAt.plus(limit));
    }

    /** When the zones will be too old; absent: they may have any age, or they are too old already. */
    Optional<Instant> nextOutdated() {
        return outdatedAt().filter(any -> !outdated);
    }

    private boolean isOutdated() {
        return outdatedAt().filter(at -> !at.isAfter(clock.instant())).isPresent();
    }

    /** Makes another model if the zones have become too old. */
    void updateOutdated() {
        if (outdated != isOutdated()) {
            updateModel();
        }
    }

    /** Updates the model at once, on the thread that brings the event: no caller waits for that thread. */
    private void updateModel() {
        outdated = isOutdated();
        Optional<NodeModel> unusable = unreadable
                .map(why -> NodeModel.unknown(Unmodelled.Kind.UNREADABLE, why))
                .or(() -> Optional.of(topologyUpdatedAt).filter(any -> outdated).map(NodeModel::outdated));
        model = node.map(facts -> unusable.orElseGet(() -> classes.shared(builder.model(facts, topology))));
        boolean unmodelled = model.filter(now -> now.kubelet().isEmpty()).isPresent();
        Optional<KubeletModel> kubelet = model.flatMap(NodeModel::kubelet);
        kubelet.ifPresentOrElse(
                known -> changes.update(
                        node.orElseThrow(), topology.orElseThrow(), model.orElseThrow(), known, clock.instant()),
                changes::clear);
        unmodelledSince = unmodelled ? unmodelledSince.or(() -> Optional.of(clock.instant())) : Optional.empty();
    }

    /**
     * What is not known for now, and what happens meanwhile to pods that depend on it.
     *
     * @param agentExpected whether the node's pods show that an agent runs there, or starts
     */
    NodeUnknowns unknowns(BooleanSupplier agentExpected) {
        return new NodeUnknowns(whileUnknown(agentExpected), changes.parts(clock.instant()));
    }

    private UnknownNodeAction whileUnknown(BooleanSupplier agentExpected) {
        if (unmodelledSince.isEmpty()) {
            return UnknownNodeAction.ADMIT;
        }
        boolean zonesExpected = zonesSeen || unreadable.isPresent() || agentExpected.getAsBoolean();
        Duration since = Duration.between(unmodelledSince.get(), clock.instant());
        return builder.settings().unknownNodes().action(zonesExpected, since);
    }

    /** When what happens to pods changes although nothing is published. */
    Optional<Instant> heldUntil(NodeUnknowns unknowns) {
        return unknowns.withoutModel() == UnknownNodeAction.HOLD
                ? unmodelledSince.map(
                        since -> since.plus(builder.settings().unknownNodes().holdLimit()))
                : changes.nextChange(clock.instant());
    }
}
