package io.numaledger.scheduling.state;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.budget.CostlyPods;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Fits;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.NodeClasses;
import io.numaledger.evaluation.fit.NodeEquivalenceClass;
import io.numaledger.evaluation.fit.NodeFit;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.fit.SlotCache;
import io.numaledger.evaluation.snapshot.NodeModel;
import io.numaledger.evaluation.snapshot.NodeSnapshotBuilder;
import io.numaledger.evaluation.snapshot.NodeUnknowns;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.scheduling.state.PossibleSnapshots.ClassifiedSnapshot;
import io.numaledger.scheduling.state.PossibleStates.Placements;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The state of one node: its objects, its pods, and what is reserved on it. Events only change this state; the snapshot is
 * built when it is next asked for, which {@link SnapshotRefresh} does, so that a burst of events costs one build. Thread-safe.
 */
public final class ClusterNode {

    /**
     * What all nodes share.
     *
     * @param classBySlot gets the class of each node on which it alone decides
     * @param builds counts snapshots
     * @param plannedPods counts those of all nodes
     * @param served the extended resources that DeviceClasses serve
     */
    record Shared(
            ClaimLookup claims,
            NodeSnapshotBuilder builder,
            NodeClasses classes,
            NodeVersions versions,
            SlotCache<NodeEquivalenceClass> classBySlot,
            LongAdder builds,
            NominatedPods nominated,
            AtomicInteger plannedPods,
            NodesOfPods nodesOfPods,
            CostlyPods costlyPods,
            Supplier<SortedSet<String>> served,
            InstantSource clock) {}

    private final String name;
    private final Shared shared;
    private final int slot;
    private final NodeSnapshots builds;
    private final PossibleStates possible;
    private final Reservations reservations;
    private final KubeletRejections rejections;
    private final BindOrder bindOrder = new BindOrder();
    private final DoubtfulRecords doubtful;
    private final NodePods pods;
    private final NodeObjects objects;
    private int cancellations;

    /** This object is of no use any more: another object takes its place if the node comes again. */
    private boolean removed;

    /** Whether all pods that were there at the start are known. */
    private boolean read;

    private volatile Optional<PossibleSnapshots> snapshots = Optional.empty();
    private volatile Optional<NodeUse> use = Optional.empty();

    ClusterNode(String name, Shared shared) {
        this.name = name;
        this.shared = shared;
        this.slot = shared.versions().take();
        this.objects = new NodeObjects(shared.builder(), shared.classes(), shared.clock());
        this.reservations = new Reservations(name, shared.nominated(), shared.plannedPods());
        this.rejections = new KubeletRejections(shared.clock());
        this.doubtful = new DoubtfulRecords(shared.clock());
        this.pods = new NodePods(shared.clock());
        this.builds = new NodeSnapshots(shared, objects, pods, doubtful);
        this.possible = builds.possible();
    }

    int slot() {
        return slot;
    }

    /** Forgets the snapshots, then raises the version: a thread that reads the new version finds no old snapshots. */
    private void changed() {
        snapshots = Optional.empty();
        shared.versions().raise(slot);
    }

    // ---- its life

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
            snapshots = snapshots.filter(any -> objects.outdatedAt().isEmpty()); // they stay valid for longer now
            return;
        }
        endDeletions();
        Optional<PossibleSnapshots> unaffected = change == NodeObjects.Change.AMOUNTS
                ? valid().filter(now ->
                        !shared.builder().readsAvailable(now.likeliest().snapshot()))
                : Optional.empty();
        if (unaffected.isPresent() && doubtful.isEmpty()) {
            doubtful.check(
                    published.orElseThrow(),
                    pods.all(),
                    unaffected.get().likeliest().snapshot());
        }
        if (unaffected.isPresent() && doubtful.isEmpty()) {
            snapshots = unaffected.map(now -> now.withTopology(published.orElseThrow()));
        } else {
            changed();
        }
    }

    /** A NodeResourceTopology is published that cannot be read. */
    synchronized void setUnreadableTopology(String why) {
        objects.setUnreadableTopology(why);
        changed();
    }

    private NodeUnknowns unknowns() {
        return objects.unknowns(() -> pods.areObserved() || pods.includeStartingAgent());
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
            adoptInFlight(); // at once: what is on the node now may have ended when the snapshot is next built
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

    private void adoptInFlight() {
        builds.adoptInFlight(name, isObserving());
    }

    private void podEnded(PodFacts pod) {
        if (pod.ended()) {
            return;
        }
        if (objects.node().isPresent()) {
            possible.podEnded(pod.key(), isObserving());
        } else {
            possible.podEndedWithoutNode(pod.key());
        }
    }

    /** Whether pods in flight will be observed: the agent publishes the zones, or some pod was observed. */
    private boolean isObserving() {
        return pods.areObserved()
                || objects.topology().filter(NodeTopology::isFromAgent).isPresent();
    }

    // ---- reservations

    /**
     * A reservation, and its place in the order of binds.
     *
     * @param cancellations how many reservations had been cancelled by then
     */
    record Reserved(Evaluation evaluation, int cancellations, BindOrder.Ticket ticket) {}

    /**
     * Evaluates a pod in every possible state and, if it fits all of them, reserves the resources of its predicted placement. Absent, and
     * nothing is reserved, for a node that the API server does not show.
     *
     * @param bound the same pod with this node set
     * @param check returns an evaluation that admits the pod, or a refusal
     */
    synchronized Optional<Reserved> reserve(
            PodFacts pod, PodFacts bound, BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        if (objects.node().isEmpty()) {
            return Optional.empty();
        }
        Evaluation evaluation = evaluateAndReserve(pod, bound, check);
        boolean holds = evaluation instanceof Fits fits
                && fits.placement().filter(any -> !any.placement().isEmpty()).isPresent();
        return Optional.of(new Reserved(evaluation, cancellations, holds ? bindOrder.next() : BindOrder.unordered()));
    }

    /**
     * Returns the evaluation of a reserved pod that is next to be written. It is repeated if an earlier reservation was cancelled. Absent if
     * it must be repeated, and the API server does not show the node any more.
     */
    synchronized Optional<Evaluation> confirm(
            Reserved reserved,
            PodFacts pod,
            PodFacts bound,
            BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        if (cancellations == reserved.cancellations()) {
            return Optional.of(reserved.evaluation());
        }
        rejections.remove(pod);
        release(pod);
        return objects.node().map(any -> evaluateAndReserve(pod, bound, check));
    }

    private Evaluation evaluateAndReserve(
            PodFacts pod, PodFacts bound, BiFunction<PossibleSnapshots, Evaluation, Evaluation> check) {
        PossibleSnapshots now = upToDate();
        NodeUse known = use().orElseThrow().within(EvaluationBudget.ofCall(pod, 1, shared.costlyPods()));
        Evaluation evaluation = Feasibility.of(known).verdict(pod, byZones -> {
            Evaluation beside = byZones.unless(() -> outOf(pod, known));
            return beside.admits() ? check.apply(now, beside) : beside;
        });
        if (evaluation.admits()) {
            shared.nodesOfPods().add(bound, name);
            rejections.bound(bound, evaluation);
            removePlanned(each -> each.pod().isSameAs(pod));
        }
        Placements placements = builds.placements(bound, evaluation);
        if (!placements.possible().isEmpty()) {
            possible.add(bound, placements, pods.terminating(), isObserving());
            changed();
        } else if (evaluation.admits()) {
            requestsChanged();
        }
        return evaluation;
    }

    /** The node's zones are the same, but not what its pods request of the node as a whole. */
    private void requestsChanged() {
        shared.versions().raise(slot);
    }

    /** Schedulers choose nodes without knowing what others have just bound. */
    private static Optional<Refused> outOf(PodFacts pod, NodeUse now) {
        return NodeFit.outOf(now.node(), pod, now.pods())
                .map(why -> Refused.of(RefusalReason.NODE_DOES_NOT_FIT, why, false));
    }

    /** Ends the reservation of a pod that is observed, has ended or is deleted. */
    synchronized Optional<PodInFlight> release(PodFacts pod) {
        Optional<PodInFlight> released = pod.observed() && objects.node().isPresent()
                ? possible.observed(pod, isObserving())
                : possible.remove(pod.key());
        if (released.isPresent()) {
            changed();
        }
        return released;
    }

    /** Cancels the reservation of exactly this instance of a pod, which was not bound after all. */
    synchronized void cancel(PodFacts pod) {
        if (rejections.remove(pod).isPresent()) {
            requestsChanged();
        }
        if (reservation(pod.key())
                .filter(reservation -> reservation.pod().isSameAs(pod))
                .isPresent()) {
            release(pod);
            cancellations++;
        }
    }

    /** Ends what is reserved for exactly this instance of a pod, which is deleted. */
    synchronized void deleted(PodFacts pod) {
        cancel(pod);
        removePlanned(each -> each.pod().isSameAs(pod));
    }

    /** The kubelet has started a pod. */
    synchronized void started(PodFacts pod) {
        if (rejections.started(pod)) {
            changed();
        }
    }

    /**
     * A pod has failed. If it was bound by this bridge and never started, the kubelet has rejected it, and pods of its shape are not
     * sent to this node again at once.
     *
     * @return why the pod had been bound, if the kubelet has rejected it
     */
    synchronized Optional<Evaluation> failed(PodFacts pod) {
        Optional<Evaluation> bound = rejections.remove(pod);
        if (bound.isPresent()) {
            rejections.rejected(pod);
            changed();
        }
        return bound;
    }

    /** The node no longer waits for a pod: others that were refused for it may fit. Needs no lock: the queue calls it under its own. */
    void nominationEnded() {
        shared.versions().raiseUntilEnd(slot);
    }

    synchronized Optional<PodInFlight> reservation(String podKey) {
        return Optional.ofNullable(possible.reservations().get(podKey));
    }

    /** Takes no lock: a scrape of metrics must not wait for an evaluation. */
    int podsInFlight() {
        return possible.count();
    }

    // ---- reservations for pods that are not bound yet

    /** What is used of the node; absent for a node that the API server does not show. */
    Optional<NodeUse> use() {
        Optional<NodeUse> known = use.filter(this::isCurrent);
        return known.isPresent() && valid().isPresent() ? known : updatedUse();
    }

    private boolean isCurrent(NodeUse known) {
        return known.version() == shared.versions().get(slot)
                && known.reserved().equals(reservations.all());
    }

    private synchronized Optional<NodeUse> updatedUse() {
        if (objects.node().isEmpty()) {
            return Optional.empty();
        }
        PossibleSnapshots now = upToDate();
        if (use.filter(this::isCurrent).isEmpty()) {
            long version = shared.versions().get(slot);
            List<Reservation> reserved = reservations.all();
            SortedMap<String, PodFacts> all = new TreeMap<>(pods.all());
            possible.reservations().forEach((key, reservation) -> all.putIfAbsent(key, reservation.pod()));
            rejections.inFlight().forEach(pod -> all.putIfAbsent(pod.key(), pod));
            all.values().removeIf(PodFacts::ended);
            use = Optional.of(NodeUse.of(version, now, List.copyOf(all.values()), reserved, shared.claims()));
        }
        return use;
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
        pods.forEach(planned -> shared.nodesOfPods().add(planned.pod(), name));
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
        Optional<PossibleSnapshots> valid = valid();
        if (valid.isPresent()) {
            return valid;
        }
        synchronized (this) {
            return objects.node().isEmpty() ? Optional.empty() : Optional.of(upToDate());
        }
    }

    /** Discards snapshots that are no longer valid. Nobody asks for those of a node that the API server does not show. */
    void expire() {
        if (objects.model().isEmpty()) {
            synchronized (this) {
                endDeletions();
            }
        } else if (snapshots.isPresent() && valid().isEmpty()) {
            synchronized (this) {
                objects.updateOutdated();
                endDeletions();
                changed();
            }
        }
    }

    private Optional<PossibleSnapshots> valid() {
        return snapshots.filter(now -> now.isValidAt(shared.clock().instant()));
    }

    /** Applies what has changed with time, and builds the snapshots anew if they are not valid any more. */
    private synchronized PossibleSnapshots upToDate() {
        Optional<PossibleSnapshots> valid = valid();
        if (valid.isPresent()) {
            return valid.get();
        }
        if (!shared.versions().isValidAt(shared.versions().second(), slot)) {
            changed();
        }
        objects.updateOutdated();
        endDeletions();
        read = true;
        adoptInFlight();
        NodeUnknowns unknowns = unknowns();
        List<ClassifiedSnapshot> built = builds.build(unknowns);
        Optional<Instant> validUntil = Stream.concat(
                        pods.nextChanges(),
                        Stream.of(
                                        possible.validUntil(),
                                        objects.heldUntil(unknowns),
                                        rejections.nextEnd(),
                                        doubtful.nextEnd(),
                                        objects.nextOutdated())
                                .flatMap(Optional::stream))
                .min(Comparator.naturalOrder());
        PossibleSnapshots made = new PossibleSnapshots(
                built.get(0),
                built.subList(1, built.size()),
                builds.releases(built),
                possible.isIncomplete(),
                rejections.waiting(),
                validUntil);
        shared.versions().end(slot, validUntil);
        if (made.isDecidedByLikeliest() && made.likeliest().snapshot().isDecidedByModel()) {
            made.likeliest()
                    .nodeClass()
                    .ifPresent(only ->
                            shared.classBySlot().put(slot, shared.versions().get(slot), only));
        }
        snapshots = Optional.of(made);
        use = Optional.empty();
        return made;
    }
}
