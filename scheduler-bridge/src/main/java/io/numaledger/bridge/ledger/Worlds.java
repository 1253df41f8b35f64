package io.numaledger.bridge.ledger;

import io.numaledger.annotation.Annotations;
import io.numaledger.annotation.ObservedPlacementText;
import io.numaledger.bridge.cluster.PodFacts;
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

/**
 * The pods of one node that are reserved and not observed yet, and every way in which they may lie. There is one, as predicted, until a
 * pod goes, or is terminating: the kubelet may have let go of it before it met some of them, and then these lie elsewhere. Each
 * observation rules ways out. A pod is promised a place only where it finds one in each of them.
 */
final class Worlds {

    /** For how long another way is possible, where pods are observed: an agent without a CPU to run on takes its time. */
    static final Duration LIMIT = Duration.ofMinutes(1);

    /** For how long, where no pod ever was: an exporter that never tells where pods lie must not leave them open. */
    static final Duration LIMIT_UNOBSERVED = Duration.ofSeconds(10);

    /** What the events of one instant may cost: more pods than these are not on their way to one kubelet. */
    private static final int MAX_MOVED = 8;

    private static final int MAX_WORLDS = 16;

    /**
     * One way.
     *
     * @param held reserved pod → what it holds; one that is missing was refused
     * @param released terminating pods that the kubelet has let go of already
     */
    record World(SortedMap<String, Reservation> held, Set<String> released) {

        private Map<String, Placement> placements() {
            Map<String, Placement> placements = new TreeMap<>();
            held.forEach((key, reservation) -> placements.put(key, reservation.placement()));
            return placements;
        }

        private World without(Collection<String> keys) {
            SortedMap<String, Reservation> rest = new TreeMap<>(held);
            rest.keySet().removeAll(keys);
            Set<String> others = new TreeSet<>(released);
            others.removeAll(keys);
            return new World(rest, others);
        }

        private World with(Reservation reservation) {
            SortedMap<String, Reservation> more = new TreeMap<>(held);
            more.put(reservation.pod().key(), reservation);
            return new World(more, released);
        }

        private World releasing(Collection<String> keys) {
            Set<String> more = new TreeSet<>(released);
            more.addAll(keys);
            return new World(held, more);
        }
    }

    private final InstantSource clock;
    private final BiFunction<World, PodFacts, Optional<Reservation>> kubelet;
    private final Map<String, Reservation> reserved = new LinkedHashMap<>();
    private List<World> worlds = List.of(new World(new TreeMap<>(), Set.of()));
    private Instant until = Instant.MAX;

    /** @param kubelet what it does with a pod that comes next, if it refuses it nothing */
    Worlds(InstantSource clock, BiFunction<World, PodFacts, Optional<Reservation>> kubelet) {
        this.clock = clock;
        this.kubelet = kubelet;
    }

    /** Pod key → what was promised, in that order. */
    Map<String, Reservation> reserved() {
        return reserved;
    }

    /** The first is the likeliest. */
    List<World> all() {
        if (!until.isAfter(clock.instant())) {
            worlds = List.of(new World(worlds.get(0).held(), Set.of()));
            until = Instant.MAX;
        }
        return worlds;
    }

    /** When there is one only in which all terminating pods are charged, whatever happens; absent: there is. */
    Optional<Instant> end() {
        boolean settled = all().size() == 1 && worlds.get(0).released().isEmpty();
        return settled ? Optional.empty() : Optional.of(until);
    }

    /**
     * The pod comes next in each world. Where it lies elsewhere once the kubelet has let go of terminating pods, that makes another world.
     *
     * @param terminating those that are still charged
     */
    void add(PodFacts pod, Reservation promised, List<String> terminating, Duration limit) {
        reserved.put(pod.key(), promised);
        if (promised.placement().isEmpty()) {
            rule(all().stream().map(world -> world.with(promised)).toList());
            return;
        }
        List<World> possible = new ArrayList<>();
        possible.add(all().get(0).with(promised));
        worlds.stream().skip(1).map(world -> next(world, pod)).forEach(possible::add);
        Set<List<String>> releases = new LinkedHashSet<>();
        terminating.forEach(each -> releases.add(List.of(each)));
        if (!terminating.isEmpty()) {
            releases.add(terminating);
        }
        for (World world : worlds) {
            releases.forEach(gone -> possible.add(next(world.releasing(gone), pod)));
        }
        keep(possible, limit);
    }

    private World next(World world, PodFacts pod) {
        return kubelet.apply(world, pod).map(world::with).orElse(world);
    }

    /**
     * A pod has let go of what it held: before the kubelet met some of the last ones, or after.
     *
     * @param limit how long ago those were reserved at most, and for how long it is open; zero: they lie as they do
     */
    void gone(String key, Duration limit) {
        Instant now = clock.instant();
        List<PodFacts> moved = reserved.values().stream()
                .filter(each ->
                        !each.pod().key().equals(key) && !each.placement().isEmpty())
                .filter(each -> each.made().plus(limit).isAfter(now))
                .map(Reservation::pod)
                .toList();
        moved = moved.subList(Math.max(0, moved.size() - MAX_MOVED), moved.size());
        List<World> possible = new ArrayList<>();
        for (World world : all()) {
            World rest = world.without(List.of(key));
            possible.add(rest);
            for (int first = moved.size() - 1; first >= 0 && !world.released().contains(key); first--) {
                possible.add(again(rest, moved.subList(first, moved.size())));
            }
        }
        if (moved.isEmpty()) {
            rule(possible);
        } else {
            keep(possible, limit);
        }
    }

    /** As the kubelet meets these pods after all others. */
    private World again(World world, List<PodFacts> pods) {
        World met = world.without(pods.stream().map(PodFacts::key).toList());
        for (PodFacts pod : pods) {
            met = next(met, pod);
        }
        return met;
    }

    private void keep(List<World> possible, Duration limit) {
        until = clock.instant().plus(limit);
        rule(possible);
    }

    /** Worlds in which all lie alike are one. */
    private void rule(List<World> possible) {
        Map<Map<String, Placement>, World> distinct = new LinkedHashMap<>();
        possible.forEach(world -> distinct.putIfAbsent(world.placements(), world));
        worlds = distinct.values().stream().limit(MAX_WORLDS).toList();
    }

    /** Gives back what was reserved for a pod, wherever it may lie. */
    Optional<Reservation> remove(String key) {
        Optional<Reservation> promised = Optional.ofNullable(reserved.remove(key));
        if (promised.isPresent()) {
            rule(all().stream().map(world -> world.without(List.of(key))).toList());
        }
        return promised;
    }

    /** The pod is observed: what lies elsewhere in a world rules that out. */
    Optional<Reservation> observed(PodFacts pod, Duration limit) {
        if (!reserved.containsKey(pod.key())) {
            return Optional.empty();
        }
        Optional<String> lies = pod.annotation(Annotations.OBSERVED);
        List<World> agreeing = all().stream()
                .filter(world -> lies.isEmpty() || lies.equals(place(world, pod.key())))
                .toList();
        if (!agreeing.isEmpty()) {
            worlds = agreeing;
            return remove(pod.key());
        }
        Optional<Reservation> promised = remove(pod.key());
        List<PodFacts> others = reserved.values().stream().map(Reservation::pod).toList();
        World first = all().get(0);
        keep(List.of(first, again(first, others)), limit);
        return promised;
    }

    private static Optional<String> place(World world, String key) {
        return Optional.ofNullable(world.held().get(key))
                .map(reservation -> ObservedPlacementText.write(reservation.placement()));
    }
}
