package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.group.PlannedNode;
import io.numaledger.scheduling.group.PlannedPlace;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;

/** State of a gated group that is not in its pods. Events change it. Not thread-safe. */
final class GroupProgress {

    private Optional<Instant> incompleteSince = Optional.empty();
    private Optional<Instant> waitingSince = Optional.empty();
    private Optional<Reserved> reserved = Optional.empty();

    /** Whether the group fits the cluster without any pods, and when that was found. */
    private Optional<FitsEmpty> fitsEmpty = Optional.empty();

    /** UIDs of pods whose end it has awaited in vain. */
    private final Set<String> staying = new HashSet<>();

    /** When pods of lower priority were evicted for the group. */
    private Optional<Instant> evictedAt = Optional.empty();

    /** UID → a released pod without a node. */
    private final Map<String, Released> released = new HashMap<>();

    /** UID → since when its scheduler refuses a released pod. */
    private final Map<String, Instant> refusedSince = new HashMap<>();

    /** Node → until when it is not used for the group. */
    private final Map<String, Instant> barred = new HashMap<>();

    /** UIDs of pods whose end at a kubelet was noticed. */
    private final Set<String> refused = new HashSet<>();

    /** UIDs of pods that say falsely that they are planned. */
    private final Set<String> ignored = new HashSet<>();

    private Optional<Attempt> failed = Optional.empty();
    private Instant failedAt = Instant.MIN;

    /** @param since when it was first seen */
    record Released(PodFacts pod, String node, Instant since) {}

    /** The versions of the cluster's nodes and topologies, and the pods and their least number, with which the group is planned. */
    record Attempt(long version, long topologies, boolean reservationDue, List<String> pods, int needed) {

        Attempt after(long newVersion) {
            return new Attempt(newVersion, topologies, reservationDue, pods, needed);
        }
    }

    /**
     * Nodes that are reserved for a group that does not fit yet.
     *
     * @param left how many of the awaited pods ran when it was last seen that one had ended
     * @param progressAt when that was
     */
    record Reserved(long number, PlannedPlace place, Instant until, int left, Instant progressAt) {

        private Reserved with(int nowLeft, Instant now) {
            return new Reserved(number, place, until, nowLeft, now);
        }
    }

    private record FitsEmpty(boolean fits, Instant at) {}

    static boolean isOver(Instant since, Duration time, Instant now) {
        return !since.plus(time).isAfter(now);
    }

    private static String uid(PodFacts pod) {
        return pod.uid().orElse("");
    }

    // ---- some pods run, others are missing

    /** Some pods run without others that they need. Returns whether that has been so for a time. */
    boolean incomplete(Duration limit, Instant now) {
        boolean over =
                incompleteSince.filter(since -> isOver(since, limit, now)).isPresent();
        incompleteSince = incompleteSince.or(() -> Optional.of(now));
        return over;
    }

    /** Enough pods of the group run, or none. */
    void notIncomplete() {
        incompleteSince = Optional.empty();
    }

    // ---- planning

    /** The group does not fit. */
    void waits(Instant now) {
        waitingSince = waitingSince.or(() -> Optional.of(now));
    }

    boolean hasWaited(Duration time, Instant now) {
        return waitingSince.filter(since -> isOver(since, time, now)).isPresent();
    }

    /** Too few pods wait to be planned. */
    void notPlannable() {
        waitingSince = Optional.empty();
    }

    /** The group fits, and its nodes are reserved. */
    void planned() {
        waitingSince = Optional.empty();
        evictedAt = Optional.empty();
        failed = Optional.empty();
    }

    void failed(Attempt attempt, Instant now) {
        failed = Optional.of(attempt);
        failedAt = now;
    }

    /** Whether the same attempt has failed within a time. */
    boolean hasFailed(Attempt attempt, Duration time, Instant now) {
        return failed.equals(Optional.of(attempt)) && !isOver(failedAt, time, now);
    }

    /**
     * Whether it fits the cluster without any pods.
     *
     * @param plan finds that out; called if that was not done within a time
     */
    boolean fitsEmpty(BooleanSupplier plan, Duration time, Instant now) {
        FitsEmpty known = fitsEmpty
                .filter(last -> !isOver(last.at(), time, now))
                .orElseGet(() -> new FitsEmpty(plan.getAsBoolean(), now));
        fitsEmpty = Optional.of(known);
        return known.fits();
    }

    // ---- places that are reserved although it does not fit yet

    Optional<Reserved> reserved() {
        return reserved;
    }

    void reserve(Reserved places) {
        reserved = Optional.of(places);
    }

    /** Pods of lower priority are evicted, and their places are reserved. */
    void preempting(Reserved places, Instant now) {
        reserve(places);
        evictedAt = Optional.of(now);
    }

    /** Whether pods were evicted for it since it last fit. */
    boolean isPreempting() {
        return evictedAt.isPresent();
    }

    /** Whether pods were evicted for it within a time, or at any time if it fits when they have ended. */
    boolean awaitsVictims(boolean fitsSoon, Duration time, Instant now) {
        return evictedAt.filter(at -> fitsSoon || !isOver(at, time, now)).isPresent();
    }

    void endReservation() {
        reserved = Optional.empty();
    }

    /** This number of awaited pods is left. */
    void left(int count, Instant now) {
        reserved = reserved.map(places -> places.with(count, now));
    }

    /** The pods that it awaits do not end: places behind others are looked for. */
    void awaitOthers() {
        reserved.ifPresent(places -> staying.addAll(places.place().awaited()));
    }

    /** All pods may be awaited again. */
    void awaitAny() {
        staying.clear();
    }

    /** UIDs of pods whose end it has awaited in vain. */
    Set<String> staying() {
        return Set.copyOf(staying);
    }

    // ---- nodes that are not used for it

    void bar(String node, Instant until) {
        barred.put(node, until);
    }

    /** Nodes that were barred long enough may be used again. */
    void unbar(Instant now) {
        barred.values().removeIf(until -> !until.isAfter(now));
    }

    boolean hasBarred() {
        return !barred.isEmpty();
    }

    boolean isBarred(String node) {
        return barred.containsKey(node);
    }

    /** A kubelet has refused a pod. Returns whether that is new. */
    boolean refusedByKubelet(PodFacts pod) {
        return refused.add(uid(pod));
    }

    // ---- released pods

    /** A pod is tied to a node and has lost its gate. */
    void released(PodFacts pod, String node, Instant now) {
        released.put(uid(pod), new Released(pod, node, now));
    }

    /** A pod says that it is tied to a node and has lost its gate: another process has released it. */
    Released seenReleased(PodFacts pod, Instant now) {
        return released.computeIfAbsent(
                uid(pod), any -> new Released(pod, PlannedNode.of(pod).orElseThrow(), now));
    }

    Collection<Released> allReleased() {
        return Collections.unmodifiableCollection(released.values());
    }

    /** Only these pods are left without a node. Returns the other released ones, which are not remembered any more. */
    List<Released> endReleased(List<PodFacts> left) {
        Map<String, Released> ended = new HashMap<>(released);
        left.forEach(pod -> ended.remove(uid(pod)));
        released.keySet().removeAll(ended.keySet());
        return new ArrayList<>(ended.values());
    }

    /** The scheduler refuses these released pods, and no others. */
    void refusedByScheduler(List<PodFacts> pods, Instant now) {
        refusedSince.keySet().retainAll(pods.stream().map(GroupProgress::uid).toList());
        pods.forEach(pod -> refusedSince.putIfAbsent(uid(pod), now));
    }

    /** Whether its scheduler has refused a pod for a time, which then begins anew. */
    boolean isRefusedFor(PodFacts pod, Duration time, Instant now) {
        boolean over = isOver(refusedSince.getOrDefault(uid(pod), now), time, now);
        if (over) {
            refusedSince.put(uid(pod), now);
        }
        return over;
    }

    /** Remembers pods that say falsely that they are planned. Returns those that did not before. */
    List<PodFacts> ignored(List<PodFacts> pods) {
        ignored.retainAll(pods.stream().map(GroupProgress::uid).toList());
        return pods.stream().filter(pod -> ignored.add(uid(pod))).toList();
    }
}
