package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureMaker;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Outcomes;
import io.numaledger.bridge.verdict.PodShape;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.PodAllocation;

import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * One node: its objects, the pods on it, what is reserved there. Its picture is made when it is asked for after a change, so an
 * event costs O(what changed) and a burst of events one picture.
 */
final class NodeEntry {

    private final PictureMaker maker;
    private final Outcomes outcomes;
    private final LongAdder rebuilds;
    private final ReentrantLock binding = new ReentrantLock(true);
    private final SortedMap<String, PodFacts> pods = new TreeMap<>();
    private final SortedMap<String, Reservation> reservations = new TreeMap<>();
    private Optional<NodeFacts> node = Optional.empty();
    private Optional<NodeTopology> topology = Optional.empty();
    private Optional<NodeModel> model = Optional.empty();
    private volatile Optional<Current> current = Optional.empty();

    /** The picture, and the answers of nodes like it. */
    record Current(NodePicture picture, Outcomes.OfNode outcomes) {}

    NodeEntry(PictureMaker maker, Outcomes outcomes, LongAdder rebuilds) {
        this.maker = maker;
        this.outcomes = outcomes;
        this.rebuilds = rebuilds;
    }

    <T> T inBindOrder(Supplier<T> bind) {
        binding.lock();
        try {
            return bind.get();
        } finally {
            binding.unlock();
        }
    }

    synchronized void nodeIs(Optional<NodeFacts> facts) {
        if (!facts.equals(node)) {
            node = facts;
            model = Optional.empty();
            current = Optional.empty();
        }
    }

    synchronized void topologyIs(Optional<NodeTopology> published) {
        if (!published.equals(topology)) {
            topology = published;
            model = Optional.empty();
            current = Optional.empty();
        }
    }

    synchronized void put(PodFacts pod) {
        if (!pod.equals(pods.put(pod.key(), pod))) {
            current = Optional.empty();
        }
    }

    synchronized void removePod(String key) {
        if (pods.remove(key) != null) {
            current = Optional.empty();
        }
    }

    synchronized Optional<Reservation> release(String key) {
        Optional<Reservation> released = Optional.ofNullable(reservations.remove(key));
        if (released.isPresent()) {
            current = Optional.empty();
        }
        return released;
    }

    synchronized Optional<Reservation> reservation(String key) {
        return Optional.ofNullable(reservations.get(key));
    }

    synchronized int reservations() {
        return reservations.size();
    }

    synchronized boolean isEmpty() {
        return node.isEmpty() && topology.isEmpty() && pods.isEmpty() && reservations.isEmpty();
    }

    /** Judges anew and reserves in one step: no other pod comes between. */
    synchronized Verdict reserve(PodFacts pod, PodFacts bound) {
        Verdict verdict = Judge.now(current().picture(), pod);
        if (verdict.fits()) {
            verdict.allocation()
                    .ifPresent(allocation ->
                            reservations.put(pod.key(), new Reservation(bound, allocation, verdict.placement())));
            current = Optional.empty();
        }
        return verdict;
    }

    Outcome outcome(PodShape shape, PodFacts pod) {
        Current known = current();
        return known.outcomes().of(known.picture(), shape, pod);
    }

    /** Absent for a node that the API server does not show. */
    Optional<NodePicture> picture() {
        Optional<Current> known = current;
        if (known.isPresent()) {
            return known.map(Current::picture);
        }
        synchronized (this) {
            return node.isEmpty() ? Optional.empty() : Optional.of(current().picture());
        }
    }

    private Current current() {
        Optional<Current> known = current;
        if (known.isPresent()) {
            return known.get();
        }
        synchronized (this) {
            if (current.isEmpty()) {
                current = Optional.of(make());
            }
            return current.get();
        }
    }

    private Current make() {
        NodeFacts facts = node.orElseThrow();
        if (model.isEmpty()) {
            model = Optional.of(outcomes.shared(maker.model(facts, topology)));
        }
        SortedMap<String, PodFacts> all = new TreeMap<>(pods);
        Map<String, PodAllocation> reserved = new TreeMap<>();
        reservations.forEach((key, reservation) -> {
            all.putIfAbsent(key, reservation.pod());
            reserved.put(key, reservation.allocation());
        });
        NodePicture picture = maker.picture(facts, topology, model.get(), all.values(), reserved);
        rebuilds.increment();
        return new Current(picture, outcomes.of(picture));
    }
}
