package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.placement.Placement;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.stream.Collectors;

/**
 * The reservations of one node, and every state that the node may be in because of them.
 *
 * <p>A pod in flight is bound and not observed yet. Usually there is one state, in which all pods in flight are placed as predicted. When
 * a pod ends or is terminating, the kubelet may have freed its resources before it admitted some pods in flight, which are then placed
 * elsewhere: that adds possible states. Each observation excludes the states that contradict it. A pod is reserved a place only
 * if it fits in every possible state.
 */
final class PossibleStates {

    /** How long after its reservation a pod may be admitted, at most: the end of another pod moves no older ones. */
    static final Duration ADMISSION_LIMIT = Duration.ofMinutes(1);

    /**
     * How long other states than the likeliest stay possible on a node whose pods nobody observes: an exporter that never reports
     * placements must not keep states open. Elsewhere only observations and ends of pods exclude states, however late they are reported.
     */
    static final Duration LIMIT_UNOBSERVED = Duration.ofSeconds(10);

    /** Bounds the work of one event. More pods than these are not in flight to one kubelet in practice. */
    private static final int MAX_MOVED = 8;

    private static final int MAX_STATES = 16;

    /** How often a kubelet is asked at most for one event. */
    private static final int MAX_ADMISSIONS = 256;

    /**
     * One possible state.
     *
     * @param placed pod in flight → what it holds; a missing one was refused
     * @param released terminating pods whose resources the kubelet has freed already
     */
    record State(SortedMap<String, PodInFlight> placed, Set<String> released) {

        private Map<String, Placement> placements() {
            Map<String, Placement> placements = new TreeMap<>();
            placed.forEach((key, reservation) -> placements.put(key, reservation.placement()));
            return placements;
        }

        private State without(Collection<String> keys) {
            SortedMap<String, PodInFlight> rest = new TreeMap<>(placed);
            rest.keySet().removeAll(keys);
            Set<String> others = new TreeSet<>(released);
            others.removeAll(keys);
            return new State(rest, others);
        }

        private State with(PodInFlight reservation) {
            SortedMap<String, PodInFlight> more = new TreeMap<>(placed);
            more.put(reservation.pod().key(), reservation);
            return new State(more, released);
        }

        private State releasing(Collection<String> keys) {
            Set<String> more = new TreeSet<>(released);
            more.addAll(keys);
            return new State(placed, more);
        }
    }

    /**
     * Where a kubelet places a pod that it admits next.
     *
     * @param possible several where it draws devices, the likeliest first; none if it refuses the pod
     * @param complete it places the pod nowhere else
     */
    record Placements(List<PodInFlight> possible, boolean complete) {

        static final Placements REFUSED = new Placements(List.of(), true);
    }

    private final InstantSource clock;
    private final BiFunction<State, PodFacts, Placements> kubelet;
    private final Map<String, PodInFlight> reservations = new LinkedHashMap<>();
    private volatile int count;
    private List<State> states = List.of(new State(new TreeMap<>(), Set.of()));
    private Instant until = Instant.MAX;

    /** The pods in flight with which there were more states than are followed; empty: all states are followed. */
    private Set<String> awaited = Set.of();

    private int admissionsLeft;

    /** @param kubelet where it places a pod that it admits next, in this state */
    PossibleStates(InstantSource clock, BiFunction<State, PodFacts, Placements> kubelet) {
        this.clock = clock;
        this.kubelet = kubelet;
    }

    /** Whether there were more states than are followed: the real one may be missing until the pods that were in flight then are observed. */
    boolean isIncomplete() {
        return !awaited.isEmpty();
    }

    /** No agent will observe a pod that holds nothing. */
    private void leaveOut() {
        awaited = reservations.values().stream()
                .filter(each -> !each.placement().isEmpty())
                .map(each -> each.pod().key())
                .collect(Collectors.toSet());
    }

    /** Pod key → its reservation as predicted, in the order of reservation. */
    Map<String, PodInFlight> reservations() {
        return reservations;
    }

    /** How many pods are in flight. Needs no lock. */
    int count() {
        return count;
    }

    /** All possible states, the likeliest first. */
    List<State> all() {
        if (!until.isAfter(clock.instant())) {
            states = List.of(new State(states.get(0).placed(), Set.of()));
            until = Instant.MAX;
            awaited = Set.of();
        }
        return states;
    }

    /**
     * When only the likeliest state is left at the latest; absent: no other state is possible. {@link Instant#MAX}: when the pods in flight
     * are observed or end.
     */
    Optional<Instant> validUntil() {
        boolean settled =
                all().size() == 1 && !isIncomplete() && states.get(0).released().isEmpty();
        return settled ? Optional.empty() : Optional.of(until);
    }

    private void put(PodFacts pod, PodInFlight reservation) {
        reservations.put(pod.key(), reservation);
        count = reservations.size();
    }

    /**
     * Adds a reserved pod to each state. If the kubelet may have freed the resources of terminating pods and would then place
     * the pod elsewhere, that is another state, and so is each result of its draws.
     *
     * @param placements as predicted, the likeliest first; at least one
     * @param terminating the terminating pods that still count as holding resources
     * @param observing whether the node's pods are observed
     */
    void add(PodFacts pod, Placements placements, List<String> terminating, boolean observing) {
        PodInFlight reservation = placements.possible().get(0);
        put(pod, reservation);
        admissionsLeft = MAX_ADMISSIONS;
        if (!placements.complete()) {
            leaveOut();
        }
        if (reservation.placement().isEmpty()) {
            replace(all().stream().map(state -> state.with(reservation)).toList());
            return;
        }
        List<State> possible = new ArrayList<>();
        State likeliest = all().get(0);
        placements.possible().forEach(each -> possible.add(likeliest.with(each)));
        states.stream().skip(1).forEach(state -> possible.addAll(admit(state, pod)));
        Set<List<String>> releases = new LinkedHashSet<>();
        terminating.forEach(each -> releases.add(List.of(each)));
        if (!terminating.isEmpty()) {
            releases.add(terminating);
        }
        for (State state : states) {
            releases.forEach(released -> possible.addAll(admit(state.releasing(released), pod)));
        }
        addOrders(possible);
        replace(possible, observing);
    }

    /**
     * A kubelet that learns of several pods at once, such as after an outage of the API server, admits them in the order of their creation
     * (HandlePodAdditions, kubelet.go). Adds the states in which the last pods in flight came so.
     */
    private void addOrders(List<State> possible) {
        List<PodFacts> inFlight = reservations.values().stream()
                .filter(each -> !each.placement().isEmpty())
                .map(PodInFlight::pod)
                .toList();
        if (inFlight.equals(inFlight.stream().sorted(PodFacts.BY_AGE).toList())) {
            return;
        }
        List<PodFacts> last = last(inFlight);
        for (int from = last.size() - 2; from >= 0; from--) {
            List<PodFacts> batch = last.subList(from, last.size());
            List<PodFacts> byCreation = batch.stream().sorted(PodFacts.BY_AGE).toList();
            if (!byCreation.equals(batch)) {
                possible.addAll(admitAgain(possible.get(0), byCreation));
            }
        }
    }

    /** The last pods of a list, as many as are moved. */
    private List<PodFacts> last(List<PodFacts> pods) {
        if (pods.size() > MAX_MOVED) {
            leaveOut();
        }
        return pods.subList(Math.max(0, pods.size() - MAX_MOVED), pods.size());
    }

    /**
     * Adds pods that another process has reserved. In the likeliest state they are placed as it has predicted. It may have known pods that
     * have ended since: in other states the kubelet admits the last of them as the node is now.
     *
     * @param inFlight the oldest first; not reserved here
     * @param recorded what a pod holds by its prediction, in a state without it; empty: the prediction is not believed
     * @param terminating as for {@link #add}
     * @param observing as for {@link #add}
     */
    void adopt(
            List<PodFacts> inFlight,
            BiFunction<State, PodFacts, Optional<PodInFlight>> recorded,
            List<String> terminating,
            boolean observing) {
        admissionsLeft = MAX_ADMISSIONS;
        State first = all().get(0);
        State rebuilt = first.releasing(inFlight.stream().map(PodFacts::key).toList());
        List<PodFacts> adopted = new ArrayList<>();
        for (PodFacts pod : inFlight) {
            Optional<PodInFlight> reservation = recorded.apply(rebuilt, pod);
            if (reservation.isPresent()) {
                rebuilt = rebuilt.with(reservation.get());
                put(pod, reservation.get());
                adopted.add(pod);
            }
        }
        if (adopted.isEmpty()) {
            return;
        }
        State predicted = new State(rebuilt.placed(), first.released());
        List<PodFacts> moved = last(adopted);
        List<State> possible = new ArrayList<>(List.of(predicted));
        for (int from = moved.size() - 1; from >= 0; from--) {
            possible.addAll(admitAgain(predicted, moved.subList(from, moved.size())));
        }
        terminating.forEach(each -> possible.addAll(admitAgain(predicted.releasing(List.of(each)), moved)));
        possible.addAll(admitAgain(predicted.releasing(terminating), moved));
        states.stream().skip(1).forEach(state -> possible.addAll(admitAgain(state, moved)));
        addOrders(possible);
        replace(possible, observing);
    }

    /** The states in which one state may be with one pod more. */
    private List<State> admit(State state, PodFacts pod) {
        if (admissionsLeft == 0) {
            leaveOut();
            return List.of(state);
        }
        admissionsLeft--;
        Placements placements = kubelet.apply(state, pod);
        if (!placements.complete()) {
            leaveOut();
        }
        return placements.possible().isEmpty()
                ? List.of(state)
                : placements.possible().stream().map(state::with).toList();
    }

    /**
     * A pod has ended: its resources were freed before the kubelet admitted the last pods in flight, or after.
     *
     * @param observing whether the node's pods are observed
     */
    void podEnded(String key, boolean observing) {
        admissionsLeft = MAX_ADMISSIONS;
        Instant now = clock.instant();
        List<PodFacts> moved = reservations.values().stream()
                .filter(each ->
                        !each.pod().key().equals(key) && !each.placement().isEmpty())
                .filter(each -> each.reservedAt().plus(ADMISSION_LIMIT).isAfter(now))
                .map(PodInFlight::pod)
                .toList();
        moved = last(moved);
        List<State> possible = new ArrayList<>();
        for (State state : all()) {
            State rest = state.without(List.of(key));
            possible.add(rest);
            for (int first = moved.size() - 1; first >= 0 && !state.released().contains(key); first--) {
                possible.addAll(admitAgain(rest, moved.subList(first, moved.size())));
            }
        }
        if (moved.isEmpty()) {
            replace(possible);
        } else {
            replace(possible, observing);
        }
    }

    /** A pod of a node without a Node object has ended: all other pods keep their placements. */
    void podEndedWithoutNode(String key) {
        replace(all().stream().map(state -> state.without(List.of(key))).toList());
    }

    /** The states if the kubelet admits these pods after all others. */
    private List<State> admitAgain(State state, List<PodFacts> pods) {
        List<State> results =
                List.of(state.without(pods.stream().map(PodFacts::key).toList()));
        for (PodFacts pod : pods) {
            results = results.stream()
                    .flatMap(each -> admit(each, pod).stream())
                    .limit(MAX_STATES + 1L)
                    .toList();
        }
        if (results.size() > MAX_STATES) {
            leaveOut();
        }
        return results;
    }

    private void replace(List<State> possible, boolean observing) {
        until = observing ? Instant.MAX : clock.instant().plus(LIMIT_UNOBSERVED);
        replace(possible);
    }

    /** States with equal placements are one. */
    private void replace(List<State> possible) {
        Map<Map<String, Placement>, State> distinct = new LinkedHashMap<>();
        possible.forEach(state -> distinct.putIfAbsent(state.placements(), state));
        if (distinct.size() > MAX_STATES) {
            leaveOut();
        }
        states = distinct.values().stream().limit(MAX_STATES).toList();
    }

    /** Removes a pod's reservation from every state. */
    Optional<PodInFlight> remove(String key) {
        Optional<PodInFlight> reservation = Optional.ofNullable(reservations.remove(key));
        count = reservations.size();
        awaited = awaited.stream().filter(each -> !each.equals(key)).collect(Collectors.toSet());
        if (reservation.isPresent()) {
            replace(all().stream().map(state -> state.without(List.of(key))).toList());
        }
        return reservation;
    }

    /** Ends the reservation of an observed pod, and excludes the states in which the pod is placed elsewhere. */
    Optional<PodInFlight> observed(PodFacts pod, boolean observing) {
        if (!reservations.containsKey(pod.key())) {
            return Optional.empty();
        }
        Optional<PlacementRecord<Placement>> observed = pod.records().observed();
        List<State> agreeing = all().stream()
                .filter(state -> observed.isEmpty() || observed.get().believed().equals(placement(state, pod.key())))
                .toList();
        if (!agreeing.isEmpty()) {
            states = agreeing;
            return remove(pod.key());
        }
        Optional<PodInFlight> reservation = remove(pod.key());
        admissionsLeft = MAX_ADMISSIONS;
        List<PodFacts> others =
                reservations.values().stream().map(PodInFlight::pod).toList();
        State first = all().get(0);
        List<State> possible = new ArrayList<>(List.of(first));
        possible.addAll(admitAgain(first, others));
        replace(possible, observing);
        return reservation;
    }

    private static Optional<Placement> placement(State state, String key) {
        return Optional.ofNullable(state.placed().get(key)).map(PodInFlight::placement);
    }
}
