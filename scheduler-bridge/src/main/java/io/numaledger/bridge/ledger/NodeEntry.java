package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.ledger.Worlds.World;
import io.numaledger.bridge.node.NodeModel;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureMaker;
import io.numaledger.bridge.node.RecordTexts;
import io.numaledger.bridge.verdict.Column;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.NodeCondition;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Outcomes;
import io.numaledger.bridge.verdict.Question;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.PodAllocation;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
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
    private final Column<NodeCondition> conditions;
    private final int slot;
    private final Worlds worlds;
    private final RecordTexts records = new RecordTexts();
    private CountDownLatch lastTurn = new CountDownLatch(0);
    private int givenBack;
    private boolean observed;
    private final SortedMap<String, PodFacts> pods = new TreeMap<>();
    private Optional<NodeFacts> node = Optional.empty();
    private Optional<NodeTopology> topology = Optional.empty();
    private Optional<NodeModel> model = Optional.empty();
    private volatile Optional<Current> current = Optional.empty();

    /** A picture, and what it has in common with those of other nodes. */
    private record View(NodePicture picture, Optional<NodeCondition> condition) {}

    /**
     * What is known now.
     *
     * @param others it may also be like this
     * @param end when to look anew, though nothing changes
     */
    private record Current(View likeliest, List<View> others, Optional<Instant> end) {}

    /** @param conditions gets that of this node as long as there is one only */
    NodeEntry(
            PictureMaker maker,
            Outcomes outcomes,
            NodeVersions versions,
            Column<NodeCondition> conditions,
            LongAdder rebuilds,
            InstantSource clock) {
        this.conditions = conditions;
        this.clock = clock;
        this.versions = versions;
        this.slot = versions.take();
        this.worlds = new Worlds(clock, this::admit);
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
                && known().filter(now -> !maker.readsAvailable(now.likeliest().picture()))
                        .isPresent()) {
            current = current.map(now -> new Current(
                    new View(
                            now.likeliest().picture().withTopology(published.orElseThrow()),
                            now.likeliest().condition()),
                    now.others(),
                    now.end()));
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
            worlds.gone(pod.key(), node.isPresent() ? limit() : Duration.ZERO);
        }
    }

    private Duration limit() {
        return observed ? Worlds.LIMIT : Worlds.LIMIT_UNOBSERVED;
    }

    /** What was reserved for a pod, which is observed now, or gone. */
    synchronized Optional<Reservation> release(PodFacts pod) {
        Optional<Reservation> released =
                pod.observed() && node.isPresent() ? worlds.observed(pod, limit()) : worlds.remove(pod.key());
        if (released.isPresent()) {
            changed();
        }
        return released;
    }

    synchronized Optional<Reservation> reservation(String key) {
        return Optional.ofNullable(worlds.reserved().get(key));
    }

    synchronized int reservations() {
        return worlds.reserved().size();
    }

    synchronized boolean offers(PodFacts pod) {
        return node.filter(facts -> facts.offers(pod.request())).isPresent();
    }

    synchronized boolean isEmpty() {
        return node.isEmpty()
                && topology.isEmpty()
                && pods.isEmpty()
                && worlds.reserved().isEmpty();
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
            release(pod);
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
        release(pod);
        return reserve(pod, bound);
    }

    private Verdict reserve(PodFacts pod, PodFacts bound) {
        Current now = current();
        Verdict verdict = Judge.now(now.likeliest().picture(), pod);
        for (View other : verdict.fits() ? now.others() : List.<View>of()) {
            Verdict there = Judge.now(other.picture(), pod);
            verdict = there.fits() ? verdict : there;
        }
        if (verdict.fits() && verdict.allocation().isPresent()) {
            worlds.add(bound, reservation(bound, verdict).orElseThrow(), terminating(), limit());
            changed();
        }
        return verdict;
    }

    private List<String> terminating() {
        return pods.values().stream()
                .filter(pod -> pod.terminating() && !pod.ended())
                .map(PodFacts::key)
                .toList();
    }

    private Optional<Reservation> admit(World world, PodFacts pod) {
        return reservation(pod, Judge.now(picture(world), pod));
    }

    private Optional<Reservation> reservation(PodFacts pod, Verdict verdict) {
        return verdict.allocation()
                .filter(any -> verdict.fits())
                .map(held -> new Reservation(pod, held, verdict.placement(), clock.instant()));
    }

    /** Gives back what was reserved for exactly this instance of a pod, which was not bound after all. */
    synchronized void giveBack(PodFacts pod) {
        if (reservation(pod.key())
                .filter(reservation -> reservation.pod().uid().equals(pod.uid()))
                .isPresent()) {
            release(pod);
            givenBack++;
        }
    }

    /** Works it out, and remembers it unless it holds for a time only. */
    Outcome outcome(Question question) {
        long version = versions.get(slot);
        Optional<Current> now = now();
        if (now.isEmpty()) {
            return Outcome.NOT_SHOWN;
        }
        Outcome outcome = work(now.get().likeliest(), question);
        if (now.get().end().isEmpty()) {
            question.answers().put(slot, version, outcome);
        }
        return outcome.fits()
                ? now.get().others().stream()
                        .map(view -> work(view, question))
                        .filter(other -> !other.fits())
                        .findFirst()
                        .map(NodeEntry::unsettled)
                        .orElse(outcome)
                : outcome;
    }

    private static Outcome unsettled(Outcome refused) {
        return new Outcome(
                refused.code(),
                refused.sentence() + ", unless pods on their way lie as predicted",
                refused.never(),
                refused.rank());
    }

    private Outcome work(View view, Question question) {
        return outcomes.work(view.picture(), view.condition(), question);
    }

    /** The likeliest one; absent for a node that the API server does not show. */
    Optional<NodePicture> picture() {
        return now().map(now -> now.likeliest().picture());
    }

    /** What was known for a time only is not known any more, once that is over. */
    void settle() {
        if (current.isPresent() && known().isEmpty()) {
            synchronized (this) {
                changed();
            }
        }
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
        List<View> views = worlds.all().stream()
                .map(this::picture)
                .map(picture -> new View(picture, outcomes.condition(picture)))
                .toList();
        Current made = new Current(views.get(0), views.subList(1, views.size()), worlds.end());
        if (made.end().isEmpty()) {
            made.likeliest().condition().ifPresent(only -> conditions.put(slot, versions.get(slot), only));
        }
        return made;
    }

    private NodePicture picture(World world) {
        SortedMap<String, PodFacts> all = new TreeMap<>(pods);
        all.keySet().removeAll(worlds.reserved().keySet());
        all.keySet().removeAll(world.released());
        Map<String, PodAllocation> reserved = new TreeMap<>();
        world.held().forEach((key, reservation) -> {
            all.put(key, pods.getOrDefault(key, reservation.pod()));
            reserved.put(key, reservation.allocation());
        });
        rebuilds.increment();
        return maker.picture(node.orElseThrow(), topology, model.orElseThrow(), all.values(), reserved, records);
    }
}
