package io.numaledger.scheduling.state;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.nrt.NodeTopology;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;

/**
 * The state of one node: its objects, its pods, and what is reserved on it. Events only change this state; the snapshot is
 * built when it is next asked for, which {@link SnapshotRefresh} does, so that a burst of events costs one build. Thread-safe.
 */
public final class ClusterNode {

    private final NodeParts parts;
    private final SharedByNodes shared;
    private final int slot;
    private final NodeObjects objects;
    private final NodePods pods;
    private final DoubtfulRecords doubtful;
    private final KubeletRejections rejections;
    private final Reservations reservations;
    private final NodeSnapshots builds;
    private final PossibleStates possible;
    private final CurrentSnapshots current;
    private final NodeBinds binds;

    /** This object is of no use any more: another object takes its place if the node comes again. */
    private boolean removed;

    /** Whether all pods that were there at the start are known. */
    private boolean read;

    ClusterNode(String name, SharedByNodes shared) {
        this.parts = NodeParts.of(name, shared);
        this.shared = shared;
        this.slot = parts.slot();
        this.objects = parts.objects();
        this.pods = parts.pods();
        this.doubtful = parts.doubtful();
        this.rejections = parts.rejections();
        this.reservations = parts.reservations();
        this.builds = new NodeSnapshots(parts);
        this.possible = builds.possible();
        this.current = new CurrentSnapshots(parts, builds, this::applyTime);
        this.binds = new NodeBinds(parts, builds, current);
    }

    String name() {
        return parts.name();
    }

    int slot() {
        return slot;
    }

    private void changed() {
        current.changed();
    }

    /** Makes a change, unless this node was removed. Returns whether it was made. */
    synchronized boolean change(Consumer<ClusterNode> change) {
        if (!removed) {
            change.accept(this);
        }
        return !removed;
    }

    /** Removes this node if nothing is left of it: in one step, so that no change is lost. Returns whether this call has removed it. */
    synchronized boolean removeIfEmpty() {
        boolean removing = !removed && isEmpty();
        if (removing) {
            removed = true;
            reservations.removePlanned(any -> true);
        }
        return removing;
    }

    private boolean isEmpty() {
        return objects.node().isEmpty()
                && objects.topology().isEmpty()
                && !objects.isUnreadable()
                && pods.all().isEmpty()
                && possible.reservations().isEmpty();
    }

    // ---- events

    /** The node's zones are the same, but pods that wait for other devices may fit now. */
    void devicesChanged() {
        shared.versions().raiseUntilEnd(slot);
    }

    synchronized void setNode(Optional<NodeFacts> facts) {
        if (objects.setNode(facts, shared.served().get())) {
            changed();
        }
    }

    /** DeviceClasses may serve other extended resources now. */
    synchronized void deviceClassesChanged() {
        if (objects.setDeviceClasses(shared.served().get())) {
            changed();
        }
    }

    /** @param updatedAt when the object was last written */
    synchronized void setTopology(Optional<NodeTopology> published, Instant updatedAt) {
        NodeObjects.Change change = objects.setTopology(published, updatedAt);
        if (change == NodeObjects.Change.AGE) {
            // The snapshots stay valid for longer now.
            current.update(now -> now.filter(any -> objects.outdatedAt().isEmpty()));
            return;
        }
        endDeletions();
        Optional<PossibleSnapshots> unaffected = change == NodeObjects.Change.AMOUNTS
                ? current.valid()
                        .filter(now ->
                                !shared.builder().readsAvailable(now.likeliest().snapshot()))
                : Optional.empty();
        if (unaffected.isPresent() && doubtful.isEmpty()) {
            doubtful.check(
                    published.orElseThrow(),
                    pods.all(),
                    unaffected.get().likeliest().snapshot());
        }
        if (unaffected.isPresent() && doubtful.isEmpty()) {
            current.update(any -> unaffected.map(now -> now.withTopology(published.orElseThrow())));
        } else {
            changed();
        }
    }

    /** A NodeResourceTopology is published that cannot be read. */
    synchronized void setUnreadableTopology(String why) {
        objects.setUnreadableTopology(why);
        changed();
    }

    synchronized void putPod(PodFacts pod) {
        Optional<PodFacts> before = pods.put(pod);
        removePlanned(each -> each.pod().isSameAs(pod));
        boolean isKnown = before.isPresent()
                ? pod.equals(before.get())
                : reservation(pod.key())
                        .filter(reserved -> reserved.isShownBy(pod))
                        .isPresent();
        if (isKnown) {
            return;
        }
        changed();
        if (pod.ended()) {
            before.ifPresent(this::podEnded);
        }
        if (read) {
            builds.adoptInFlight(); // at once: what is on the node now may have ended when the snapshot is next built
        }
    }

    synchronized void removePod(String key) {
        Optional<PodFacts> removed = pods.remove(key);
        if (removed.isEmpty()) {
            return;
        }
        PodFacts before = removed.get();
        changed();
        rejections.remove(before);
        if (UnconfirmedDeletions.mayHold(before, objects.topology())) {
            pods.keepDeleted(before);
            endDeletions();
        } else {
            podEnded(before);
        }
    }

    private void endDeletions() {
        for (PodFacts ended : pods.takeEnded(objects.topology())) {
            podEnded(ended);
            changed();
        }
    }

    private void podEnded(PodFacts pod) {
        if (pod.ended()) {
            return;
        }
        if (objects.node().isPresent()) {
            possible.podEnded(pod.key(), parts.isObserving());
        } else {
            possible.podEndedWithoutNode(pod.key());
        }
    }

    // ---- reservations

    /** As {@link NodeBinds#reserve}. */
    synchronized Optional<NodeBinds.Reserved> reserve(
            PodFacts pod, PodFacts bound, BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        return binds.reserve(pod, bound, check);
    }

    /** As {@link NodeBinds#confirm}. */
    synchronized Optional<Evaluation> confirm(
            NodeBinds.Reserved reserved,
            PodFacts pod,
            PodFacts bound,
            BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        return binds.confirm(reserved, pod, bound, check);
    }

    /** Ends the reservation of a pod that is observed, has ended or is deleted. */
    synchronized Optional<PodInFlight> release(PodFacts pod) {
        return binds.release(pod);
    }

    /** Cancels the reservation of exactly this instance of a pod, which was not bound after all. */
    synchronized void cancel(PodFacts pod) {
        binds.cancel(pod);
    }

    /** Ends what is reserved for exactly this instance of a pod, which is deleted. */
    synchronized void deleted(PodFacts pod) {
        cancel(pod);
        removePlanned(each -> each.pod().isSameAs(pod));
    }

    /** The kubelet has started a pod. */
    synchronized void started(PodFacts pod) {
        binds.started(pod);
    }

    /** As {@link NodeBinds#failed}. */
    synchronized Optional<Evaluation> failed(PodFacts pod) {
        return binds.failed(pod);
    }

    /** The node no longer waits for a pod: others that were refused for it may fit. Needs no lock: the queue calls it under its own. */
    void nominationEnded() {
        shared.versions().raiseUntilEnd(slot);
    }

    synchronized Optional<PodInFlight> reservation(String podKey) {
        return binds.reservation(podKey);
    }

    /** Takes no lock: a scrape of metrics must not wait for an evaluation. */
    int podsInFlight() {
        return possible.count();
    }

    // ---- reservations for pods that are not bound yet

    /** What is used of the node; absent for a node that the API server does not show. */
    Optional<NodeUse> use() {
        Optional<NodeUse> known = current.knownUse();
        if (known.isPresent()) {
            return known;
        }
        synchronized (this) {
            return current.use();
        }
    }

    /** The pods for which the node is reserved. */
    Reservations reservations() {
        return reservations;
    }

    /**
     * Why a pod that fits the node must leave it to others.
     *
     * @param budget of the call
     */
    Optional<Refused> refusal(PodFacts pod, EvaluationBudget budget) {
        return reservations.refusal(pod, () -> use().map(use -> use.within(budget)));
    }

    /** Plans pods of groups for this node, unless the node has changed since. Returns whether they are planned. */
    synchronized boolean plan(NodeUse seen, List<Reservation> pods) {
        if (removed
                || shared.versions().get(slot) != seen.version()
                || !reservations.all().equals(seen.reserved())) {
            return false;
        }
        pods.forEach(planned -> shared.nodesOfPods().add(planned.pod(), parts.name()));
        reservations.plan(pods);
        return true;
    }

    /** The pods of a plan are being bound. */
    synchronized void planTaken(long plan) {
        reservations.beingBound(plan);
    }

    /** Pods that are planned no more may leave their place to others. */
    synchronized void removePlanned(Predicate<Reservation> which) {
        if (reservations.removePlanned(which)) {
            changed();
        }
    }

    // ---- reading

    /** As {@link NodeFacts#offers}. */
    synchronized boolean offers(PodFacts pod, boolean hasDraDevices) {
        return objects.node()
                .filter(facts -> facts.offers(pod.request(), hasDraDevices))
                .isPresent();
    }

    /** The kubelet model, or why there is none; absent for a node that the API server does not show. */
    public Optional<NodeModel> model() {
        return objects.model();
    }

    /** The pods bound to the node, ended ones included. */
    public synchronized List<PodFacts> pods() {
        return List.copyOf(pods.all().values());
    }

    /** The keys of the pods whose records are set aside because they contradict the agent's zones. */
    synchronized Set<String> setAside() {
        return doubtful.setAside();
    }

    /** The current snapshots; absent for a node that the API server does not show. */
    public Optional<PossibleSnapshots> snapshots() {
        Optional<PossibleSnapshots> valid = current.valid();
        if (valid.isPresent()) {
            return valid;
        }
        synchronized (this) {
            return objects.node().isEmpty() ? Optional.empty() : Optional.of(current.upToDate());
        }
    }

    /** Discards snapshots that are no longer valid. Nobody asks for those of a node that the API server does not show. */
    void expire() {
        if (objects.model().isEmpty()) {
            synchronized (this) {
                endDeletions();
            }
        } else if (current.areExpired()) {
            synchronized (this) {
                objects.updateOutdated();
                endDeletions();
                changed();
            }
        }
    }

    private void applyTime() {
        objects.updateOutdated();
        endDeletions();
        read = true;
        builds.adoptInFlight();
    }
}
