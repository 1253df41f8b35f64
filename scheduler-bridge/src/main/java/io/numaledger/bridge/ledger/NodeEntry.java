package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureMaker;
import io.numaledger.bridge.node.RecordTexts;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.NodeCondition;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Outcomes;
import io.numaledger.bridge.verdict.Question;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.PodAllocation;

import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;

/**
 * One node: its objects, the pods on it, what is reserved there. Its picture is made when it is asked for after a change, so an
 * event costs O(what changed) and a burst of events one picture.
 */
final class NodeEntry {

    private final PictureMaker maker;
    private final Outcomes outcomes;
    private final LongAdder rebuilds;
    private final InstantSource clock;
    private final NodeVersions versions;
    private final int slot;
    private final LateReleases late;
    private final RecordTexts records = new RecordTexts();
    private CountDownLatch lastTurn = new CountDownLatch(0);
    private int givenBack;
    private boolean observed;
    private final SortedMap<String, PodFacts> pods = new TreeMap<>();
    private final SortedMap<String, Reservation> reservations = new TreeMap<>();
    private Optional<NodeFacts> node = Optional.empty();
    private Optional<NodeTopology> topology = Optional.empty();
    private Optional<NodeModel> model = Optional.empty();
    private volatile Optional<Current> current = Optional.empty();

    /** The picture, and what it has in common with others; at its end, if any, a late release is over. */
    record Current(NodePicture picture, Optional<NodeCondition> condition, Optional<Instant> end) {}

    NodeEntry(PictureMaker maker, Outcomes outcomes, NodeVersions versions, LongAdder rebuilds, InstantSource clock) {
        this.clock = clock;
        this.versions = versions;
        this.slot = versions.take();
        this.late = new LateReleases(clock);
        this.maker = maker;
        this.outcomes = outcomes;
        this.rebuilds = rebuilds;
    }

    /** In this order: who reads the new version finds no old picture. */
    private void changed() {
        current = Optional.empty();
        versions.raise(slot);
    }

    int slot() {
        return slot;
    }

    synchronized void nodeIs(Optional<NodeFacts> facts) {
        if (!facts.equals(node)) {
            node = facts;
            modelAnew();
            changed();
        }
    }

    synchronized void topologyIs(Optional<NodeTopology> published) {
        if (published.equals(topology)) {
            return;
        }
        boolean sameMachine = published.map(NodeModel::decisive).equals(topology.map(NodeModel::decisive));
        topology = published;
        if (!sameMachine) {
            modelAnew();
        }
        if (sameMachine
                && known().filter(now -> !maker.readsAvailable(now.picture())).isPresent()) {
            current = current.map(now ->
                    new Current(now.picture().withTopology(published.orElseThrow()), now.condition(), now.end()));
        } else {
            changed();
        }
    }

    /** At once, on the thread that brings the news: nobody waits there. */
    private void modelAnew() {
        model = node.map(facts -> outcomes.shared(maker.model(facts, topology)));
    }

    synchronized void put(PodFacts pod) {
        PodFacts before = pods.put(pod.key(), pod);
        observed |= pod.observed();
        if (!pod.equals(before)) {
            changed();
            if (before != null && pod.ended()) {
                gone(before);
            }
        }
    }

    synchronized void removePod(String key) {
        PodFacts before = pods.remove(key);
        if (before != null) {
            changed();
            gone(before);
        }
    }

    private void gone(PodFacts pod) {
        if (!pod.ended()) {
            late.gone(pod, reservations.keySet(), observed ? LateReleases.LIMIT : LateReleases.LIMIT_UNOBSERVED);
        }
    }

    synchronized Optional<Reservation> release(String key) {
        Optional<Reservation> released = Optional.ofNullable(reservations.remove(key));
        if (released.isPresent()) {
            late.settled(key);
            changed();
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

    /** A reservation that has not been written yet: when its turn is, and how many had been given back by then. */
    private record Waiting(Verdict verdict, int givenBack, CountDownLatch before, CountDownLatch done) {}

    /**
     * Judges anew and reserves in one step, so that the next filter sees it; then writes, once all that were reserved before on this
     * node are written: the kubelet meets pods in the order in which the model did.
     */
    <T> T bind(PodFacts pod, PodFacts bound, Function<Verdict, T> write) {
        Waiting waiting = enqueue(pod, bound);
        try {
            waiting.before().await();
            return write.apply(givenBack() == waiting.givenBack() ? waiting.verdict() : again(pod, bound));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            release(pod.key());
            throw new IllegalStateException(
                    "interrupted while other pods are bound: pod=%s; it is tried again".formatted(pod.key()), e);
        } finally {
            waiting.done().countDown();
        }
    }

    private synchronized Waiting enqueue(PodFacts pod, PodFacts bound) {
        Verdict verdict = reserve(pod, bound);
        if (verdict.placement().isEmpty()) {
            return new Waiting(verdict, givenBack, new CountDownLatch(0), new CountDownLatch(0));
        }
        CountDownLatch before = lastTurn;
        lastTurn = new CountDownLatch(1);
        return new Waiting(verdict, givenBack, before, lastTurn);
    }

    private synchronized int givenBack() {
        return givenBack;
    }

    /** What stood before it was given back: it may lie elsewhere now. */
    private synchronized Verdict again(PodFacts pod, PodFacts bound) {
        release(pod.key());
        return reserve(pod, bound);
    }

    private Verdict reserve(PodFacts pod, PodFacts bound) {
        Verdict verdict = Judge.now(current().picture(), pod);
        if (verdict.fits()) {
            verdict.allocation()
                    .ifPresent(allocation ->
                            reservations.put(pod.key(), new Reservation(bound, allocation, verdict.placement())));
            changed();
        }
        return verdict;
    }

    /** Gives back what was reserved for exactly this instance of a pod, which was not bound after all. */
    synchronized void giveBack(PodFacts pod) {
        if (reservation(pod.key())
                .filter(reservation -> reservation.pod().uid().equals(pod.uid()))
                .isPresent()) {
            release(pod.key());
            givenBack++;
        }
    }

    /** What was answered since the last change. */
    Optional<Outcome> known(Question question) {
        return question.answers().of(slot, versions.get(slot));
    }

    /** Works it out, and remembers it unless it holds for a time only. */
    Outcome outcome(Question question) {
        long version = versions.get(slot);
        Optional<Current> now = now();
        if (now.isEmpty()) {
            return Outcome.NOT_SHOWN;
        }
        Outcome outcome = outcomes.work(now.get().picture(), now.get().condition(), question);
        if (now.get().end().isEmpty()) {
            question.answers().put(slot, version, outcome);
        }
        return outcome;
    }

    /** Absent for a node that the API server does not show. */
    Optional<NodePicture> picture() {
        return now().map(Current::picture);
    }

    private Optional<Current> now() {
        Optional<Current> known = known();
        if (known.isPresent()) {
            return known;
        }
        synchronized (this) {
            return node.isEmpty() ? Optional.empty() : Optional.of(current());
        }
    }

    private Current current() {
        Optional<Current> known = known();
        if (known.isPresent()) {
            return known.get();
        }
        synchronized (this) {
            if (known().isEmpty()) {
                current = Optional.of(make());
            }
            return current.orElseThrow();
        }
    }

    private Optional<Current> known() {
        return current.filter(
                known -> known.end().isEmpty() || known.end().get().isAfter(clock.instant()));
    }

    private Current make() {
        NodeFacts facts = node.orElseThrow();
        SortedMap<String, PodFacts> all = new TreeMap<>(pods);
        Map<String, PodAllocation> reserved = new TreeMap<>();
        reservations.forEach((key, reservation) -> {
            all.putIfAbsent(key, reservation.pod());
            reserved.put(key, reservation.allocation());
        });
        late.pods()
                .forEach(pod ->
                        all.merge(pod.key(), pod, (there, gone) -> there.uid().equals(gone.uid()) ? gone : there));
        NodePicture picture = maker.picture(facts, topology, model.orElseThrow(), all.values(), reserved, records);
        rebuilds.increment();
        return new Current(picture, outcomes.condition(picture), late.next());
    }
}
