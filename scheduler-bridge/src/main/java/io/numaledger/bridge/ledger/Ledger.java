package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.NodeFacts;
import io.numaledger.bridge.cluster.PodFacts;
import io.numaledger.bridge.node.NodePicture;
import io.numaledger.bridge.node.PictureMaker;
import io.numaledger.bridge.node.PictureSettings;
import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.score.Strategy;
import io.numaledger.bridge.verdict.Column;
import io.numaledger.bridge.verdict.Evaluations;
import io.numaledger.bridge.verdict.Judge;
import io.numaledger.bridge.verdict.NodeCondition;
import io.numaledger.bridge.verdict.Outcome;
import io.numaledger.bridge.verdict.Outcomes;
import io.numaledger.bridge.verdict.Question;
import io.numaledger.bridge.verdict.Verdict;
import io.numaledger.nrt.NodeTopology;

import java.time.InstantSource;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.stream.IntStream;

/**
 * Who holds what on every node. Fed by events, in any order; asked by any thread. All that it knows comes from the API server, but for
 * the reservations of pods that it bound and has not seen observed yet.
 */
public final class Ledger {

    /** So many nodes of which a shape of pod knows nothing yet are given to another thread, if there is one. */
    private static final int WORTH_A_THREAD = 500;

    private final PictureMaker maker;
    private final Outcomes outcomes;
    private final NodeVersions versions = new NodeVersions();
    private final Column<NodeCondition> conditions = new Column<>();
    private final LongAdder rebuilds = new LongAdder();
    private final Map<String, NodeEntry> nodes = new ConcurrentHashMap<>();
    private final AtomicLong comings = new AtomicLong();
    private volatile NodeIndex index = NodeIndex.of(0, Map.of());
    private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();
    private final ReservationListener listener;
    private final InstantSource clock;

    /** @param ranking works out how good a node is for a pod, once for both filter and prioritize */
    public Ledger(PictureSettings settings, Ranking ranking, ReservationListener listener) {
        this(settings, ranking, listener, InstantSource.system());
    }

    /** One that nobody asks for ranks. */
    public Ledger(PictureSettings settings, ReservationListener listener) {
        this(settings, new Ranking(List.of(), Strategy.LeastNUMANodes), listener);
    }

    Ledger(PictureSettings settings, Ranking ranking, ReservationListener listener, InstantSource clock) {
        this.maker = new PictureMaker(settings);
        this.outcomes = new Outcomes(ranking);
        this.listener = listener;
        this.clock = clock;
    }

    private NodeEntry entry(String node) {
        NodeEntry known = nodes.get(node);
        if (known != null) {
            return known;
        }
        NodeEntry entry = nodes.computeIfAbsent(
                node, any -> new NodeEntry(maker, outcomes, versions, conditions, rebuilds, clock));
        comings.incrementAndGet();
        return entry;
    }

    public void nodeSeen(NodeFacts node) {
        entry(node.name()).nodeIs(Optional.of(node));
    }

    public void nodeGone(String name) {
        entry(name).nodeIs(Optional.empty());
        nodes.computeIfPresent(name, (any, entry) -> {
            if (entry.isEmpty()) {
                versions.give(entry.slot());
                return null;
            }
            return entry;
        });
        comings.incrementAndGet();
    }

    public void topologySeen(NodeTopology topology) {
        entry(topology.node()).topologyIs(Optional.of(topology));
    }

    public void topologyGone(String node) {
        entry(node).topologyIs(Optional.empty());
    }

    public void podSeen(PodFacts pod) {
        PodFacts before = pods.put(pod.key(), pod);
        if (before != null && !before.uid().equals(pod.uid())) {
            forget(before);
        } else if (before != null && before.node().isPresent() && !before.node().equals(pod.node())) {
            entry(before.node().get()).removePod(pod.key());
        }
        pod.node().ifPresent(node -> {
            entry(node).put(pod);
            releaseIfKnown(node, pod);
        });
    }

    private void releaseIfKnown(String node, PodFacts pod) {
        boolean holdsNothing = pod.running()
                && entry(node)
                        .reservation(pod.key())
                        .filter(reservation -> reservation.placement().isEmpty())
                        .isPresent();
        if (pod.ended() || pod.observed() || holdsNothing) {
            entry(node).release(pod).ifPresent(reservation -> listener.released(pod, reservation));
        }
    }

    public void podGone(PodFacts pod) {
        pods.computeIfPresent(pod.key(), (key, known) -> known.uid().equals(pod.uid()) ? null : known);
        forget(pod);
    }

    private void forget(PodFacts pod) {
        if (pod.node().isPresent()) {
            entry(pod.node().get()).removePod(pod.key());
            entry(pod.node().get()).release(pod);
        } else {
            nodes.values().forEach(entry -> entry.giveBack(pod));
        }
    }

    /** The last that was seen of a pod, bound or not. */
    public Optional<PodFacts> pod(String key) {
        return Optional.ofNullable(pods.get(key));
    }

    public int podCount() {
        return pods.size();
    }

    /** Absent for a node that the API server does not show. */
    public Optional<NodePicture> picture(String node) {
        return Optional.ofNullable(nodes.get(node)).flatMap(NodeEntry::picture);
    }

    /** Makes all pictures that are not there yet, on all processors. Returns how many nodes there are. */
    public long lookAtAll() {
        return nodes.values().parallelStream()
                .filter(entry -> entry.picture().isPresent())
                .count();
    }

    /** The pictures of all nodes, by name. */
    public List<NodePicture> pictures() {
        return nodes.keySet().stream()
                .sorted()
                .map(this::picture)
                .flatMap(Optional::stream)
                .toList();
    }

    /** None yet, to be filled. */
    public NamedNodes noNodes() {
        return new NamedNodes(index());
    }

    private NamedNodes named(Collection<String> names) {
        if (names instanceof NamedNodes known) {
            return known;
        }
        NamedNodes named = noNodes();
        named.addAll(names);
        return named;
    }

    /** The answers for these nodes, in their order, remembered where possible. */
    public List<Outcome> outcomes(List<String> names, Question question) {
        NamedNodes named = named(names);
        Outcome[] answers = new Outcome[named.size()];
        int each = question.answers().isEmpty() ? WORTH_A_THREAD : Math.max(1, answers.length);
        int parts = (answers.length + each - 1) / each;
        Parts.each(parts, part -> {
            int end = Math.min(answers.length, (part + 1) * each);
            Asking asking = new Asking(question.alone(), named.index());
            for (int i = part * each; i < end; i++) {
                answers[i] = asking.about(named.at(i));
            }
            outcomes.evaluations().add(Evaluations.Form.SHARED, asking.shared);
            outcomes.evaluations().add(Evaluations.Form.COUNTS, asking.counted.size());
            question.answers().put(asking.counted);
        });
        return Arrays.asList(answers);
    }

    /** One thread of a call: what is known, else what counts say, else the node itself is asked. */
    private final class Asking {

        private final Question question;
        private final NodeIndex nodesNow;
        private int shared;
        private final Column.Batch<Outcome> counted = new Column.Batch<>();

        Asking(Question question, NodeIndex nodesNow) {
            this.question = question;
            this.nodesNow = nodesNow;
        }

        /** @param at in the index; negative: no such node */
        Outcome about(int at) {
            if (at < 0) {
                return Outcome.NOT_SHOWN;
            }
            int slot = nodesNow.slot(at);
            long version = versions.get(slot);
            Optional<Outcome> known = question.answers().of(slot, version);
            if (known.isPresent()) {
                shared++;
                return known.get();
            }
            Optional<NodeCondition> condition = conditions.of(slot, version);
            Optional<Outcome> fromCounts =
                    condition.isPresent() ? outcomes.counted(condition.get(), question) : Optional.empty();
            if (fromCounts.isPresent()) {
                counted.add(slot, version, fromCounts.get());
                return fromCounts.get();
            }
            return nodesNow.entry(at).outcome(question);
        }
    }

    /** How many changes of single nodes there were. */
    public long changes() {
        return versions.changes();
    }

    /** Which change was the node's last; 0 for one that is not known. */
    public long changed(String node) {
        NodeIndex nodesNow = index();
        int at = nodesNow.find(node);
        return at < 0 ? 0 : versions.get(nodesNow.slot(at));
    }

    /** The slots of the nodes of which something changed after so many changes. A slot of a node that is gone is given to another. */
    public BitSet changedSince(long changes) {
        NodeIndex nodesNow = index();
        BitSet slots = new BitSet();
        for (int at = 0; at < nodesNow.size(); at++) {
            if (versions.get(nodesNow.slot(at)) > changes) {
                slots.set(nodesNow.slot(at));
            }
        }
        return slots;
    }

    public BitSet slots(Collection<String> names) {
        NamedNodes named = named(names);
        BitSet slots = new BitSet();
        IntStream.range(0, named.size())
                .map(named::at)
                .filter(at -> at >= 0)
                .map(named.index()::slot)
                .forEach(slots::set);
        return slots;
    }

    /** In their alphabetical order. */
    public List<String> names(BitSet slots) {
        NodeIndex nodesNow = index();
        return IntStream.range(0, nodesNow.size())
                .filter(at -> slots.get(nodesNow.slot(at)))
                .mapToObj(nodesNow::name)
                .toList();
    }

    /** Forgets what was known of nodes for a time only, if that is over. */
    public void settle() {
        nodes.values().forEach(NodeEntry::settle);
    }

    /** Those of these nodes that a pod fits now. */
    public List<String> fitting(List<String> names, PodFacts pod) {
        List<Outcome> answers = outcomes(names, question(pod));
        return IntStream.range(0, names.size())
                .filter(at -> answers.get(at).fits())
                .mapToObj(names::get)
                .toList();
    }

    /** True if another pod fits a node now, and would not beside this one. */
    public boolean crowdsOut(String node, PodFacts pod, PodFacts other) {
        return Optional.ofNullable(nodes.get(node))
                        .filter(entry -> entry.offers(other))
                        .isPresent()
                && !fitting(List.of(node), other).isEmpty()
                && picture(node)
                        .filter(now -> !Judge.fitsBeside(now, pod, other))
                        .isPresent();
    }

    private NodeIndex index() {
        long coming = comings.get();
        NodeIndex now = index;
        if (now.coming() != coming) {
            now = NodeIndex.of(coming, nodes);
            index = now;
        }
        return now;
    }

    /**
     * A pod, prepared once for all nodes.
     *
     * @throws IllegalArgumentException for an invalid span ceiling, as a sentence
     */
    public Question question(PodFacts pod) {
        return outcomes.question(pod);
    }

    /**
     * Judges anew and, if the pod fits, holds its exact zones from now on; then lets the verdict be written, after those of all
     * pods that were reserved before on this node. Absent for a node that the API server does not show: nothing is held there.
     */
    public <T> T bind(String node, PodFacts pod, Function<Optional<Verdict>, T> write) {
        NodeEntry entry = nodes.get(node);
        if (entry == null || entry.picture().isEmpty()) {
            return write.apply(Optional.empty());
        }
        return entry.bind(pod, bound(pod, node), verdict -> write.apply(Optional.of(verdict)));
    }

    private static PodFacts bound(PodFacts pod, String node) {
        return new PodFacts(
                pod.namespace(),
                pod.name(),
                pod.uid(),
                Optional.of(node),
                pod.phase(),
                pod.reason(),
                pod.terminating(),
                pod.born(),
                pod.annotations(),
                pod.request());
    }

    /** Gives back what was reserved for a pod that was not bound after all. */
    public void release(String node, PodFacts pod) {
        Optional.ofNullable(nodes.get(node)).ifPresent(entry -> entry.giveBack(pod));
    }

    public int reservations() {
        return nodes.values().stream().mapToInt(NodeEntry::reservations).sum();
    }

    /** How many pictures were made. */
    public long rebuilds() {
        return rebuilds.sum();
    }

    public Evaluations evaluations() {
        return outcomes.evaluations();
    }
}
