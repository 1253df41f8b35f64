package io.numaledger.scheduling.audit;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.PredictedPlacement;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.evaluation.snapshot.Releases;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.scheduling.state.PossibleSnapshots;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The last predictions of this process with what the kubelets did. Pods that end or are deleted before they are observed have no entry, nor
 * have those that hold nothing of a zone, unless their kubelet refuses them. Thread-safe.
 */
public final class PredictionAudit {

    /** How many entries are kept, and how many predictions wait for an observation. */
    public static final int ENTRIES = 1000;

    /** The number of misses for which the node's states are kept. */
    public static final int STATES = 50;

    /**
     * How long after a miss the state of the node is taken: an agent corrects a wrong record, or it is set aside, before that, and the API
     * server tells of pods that ended before the kubelet decided.
     */
    public static final Duration SETTLED = Duration.ofSeconds(10);

    /** How many states are kept for predictions that wait, and for misses that are judged again. Many pods are never observed where no agent runs. */
    private static final int STATES_WAITING = 250;

    private final InstantSource clock;
    private final Function<String, Optional<NodeSnapshot>> nodes;

    /** Pod key → its prediction, the oldest first. */
    private final Map<String, Prediction> waiting = new LinkedHashMap<>();

    /** Pod key → the state of the node at the prediction, the oldest first. */
    private final Map<String, NodeSnapshot> seen = new LinkedHashMap<>();

    /** The entries, the newest first. */
    private final Deque<AuditEntry> entries = new ArrayDeque<>();

    /** The entries about misses, with the states of the node. */
    private final Deque<AuditEntry> misses = new ArrayDeque<>();

    /** The misses after which the state of the node is not taken yet, the newest first. */
    private final Deque<AuditEntry> unsettled = new ArrayDeque<>();

    /** @param nodes the state of a node as it is now */
    public PredictionAudit(InstantSource clock, Function<String, Optional<NodeSnapshot>> nodes) {
        this.clock = clock;
        this.nodes = nodes;
    }

    /** A pod is to be bound. */
    public void predicted(PodFacts pod, PossibleSnapshots node, PredictedPlacement placement) {
        NodeSnapshot likeliest = node.likeliest().snapshot();
        Prediction prediction = new Prediction(
                pod,
                placement,
                clock.instant(),
                node.confidence(pod, placement),
                (int) node.states().count(),
                Optional.empty());
        add(prediction, likeliest);
    }

    private synchronized void add(Prediction prediction, NodeSnapshot likeliest) {
        putLast(waiting, prediction.pod().key(), prediction, ENTRIES);
        putLast(seen, prediction.pod().key(), likeliest, STATES_WAITING);
    }

    private static <T> void putLast(Map<String, T> all, String key, T value, int most) {
        all.remove(key);
        all.put(key, value);
        if (all.size() > most) {
            all.remove(all.keySet().iterator().next());
        }
    }

    /** The pod was not bound after all, or is gone. */
    public synchronized void forget(PodFacts pod) {
        take(pod);
    }

    private synchronized Optional<Prediction> take(PodFacts pod) {
        Optional<Prediction> known = Optional.ofNullable(waiting.get(pod.key()))
                .filter(prediction -> prediction.pod().isSameAs(pod));
        known.ifPresent(any -> waiting.remove(pod.key()));
        return known.map(prediction -> prediction.withState(Optional.ofNullable(seen.remove(pod.key()))));
    }

    /**
     * The pod was observed, has failed or has ended. Returns the entry about it, if it has one that is not judged again: {@link #settle}
     * returns those later.
     */
    public Optional<AuditEntry> observed(PodFacts pod) {
        return take(pod)
                .flatMap(prediction -> Outcome.of(prediction.placement(), pod.records())
                        .map(outcome -> judged(prediction, pod, outcome)))
                .filter(entry -> !add(entry));
    }

    /** The kubelet rejected the pod. Absent where the reason is none of those that the kubelet's model knows. */
    public Optional<AuditEntry> rejected(PodFacts pod) {
        return take(pod)
                .filter(prediction -> Arrays.stream(Refusal.Reason.values())
                        .anyMatch(reason -> pod.reason().equals(Optional.of(reason.toString()))))
                .map(prediction -> {
                    AuditEntry entry = judged(prediction, pod, Outcome.REFUSED);
                    add(entry);
                    return entry;
                });
    }

    private AuditEntry judged(Prediction prediction, PodFacts pod, Outcome first) {
        Optional<NodeSnapshot> after = first.isMiss() ? nodes.apply(prediction.node()) : Optional.empty();
        return judged(new AuditEntry(prediction, pod, clock.instant(), first, after));
    }

    /** The entry, with the outcome {@link Outcome#TIMING} if that is what it was. */
    private static AuditEntry judged(AuditEntry entry) {
        boolean isOfTiming = entry.outcome() != Outcome.REFUSED
                && entry.outcome().isMiss()
                && isOfTiming(entry.prediction(), entry.after(), entry.pod());
        return isOfTiming ? entry.ofTiming() : entry;
    }

    /** Whether the kubelet has decided as it would without pods that have ended since the prediction, or beside pods that have come. */
    private static boolean isOfTiming(Prediction prediction, Optional<NodeSnapshot> after, PodFacts pod) {
        if (prediction.seen().isEmpty() || after.isEmpty()) {
            return false;
        }
        NodeSnapshot then = prediction.seen().get();
        NodeSnapshot now = after.get();
        Set<String> left = now.pods().stream()
                .filter(held -> !held.terminating())
                .map(PodHolding::key)
                .collect(Collectors.toSet());
        SortedSet<String> ended = then.pods().stream()
                .map(PodHolding::key)
                .filter(key -> !left.contains(key))
                .collect(Collectors.toCollection(TreeSet::new));
        Stream<NodeSnapshot> without =
                Releases.of(then.releasing(ended)).ended().stream().map(then::released);
        boolean others = !ended.isEmpty() || hasMore(now, then, prediction.pod().key());
        Stream<NodeSnapshot> beside = others
                ? Stream.of(now.released(new TreeSet<>(Set.of(prediction.pod().key()))))
                : Stream.empty();
        return Outcome.isOfAny(Stream.concat(without, beside), prediction.pod(), pod.records());
    }

    /** Whether pods hold something now that did not then, one apart. */
    private static boolean hasMore(NodeSnapshot now, NodeSnapshot then, String apart) {
        Set<String> before = then.pods().stream().map(PodHolding::key).collect(Collectors.toSet());
        return now.pods().stream().map(PodHolding::key).anyMatch(key -> !key.equals(apart) && !before.contains(key));
    }

    /** Returns whether the entry is judged again. */
    private synchronized boolean add(AuditEntry entry) {
        putFirst(entries, entry.withoutStates(), ENTRIES);
        if (!entry.outcome().isMiss()) {
            return false;
        }
        putFirst(misses, entry, STATES);
        return unsettled.size() < STATES_WAITING && unsettled.offerFirst(entry);
    }

    /**
     * Takes the state of each node of which a prediction has missed {@link #SETTLED} ago. Call it every ten seconds or so. Returns what has
     * become of those whose pods were observed.
     */
    public List<AuditEntry> settle() {
        List<AuditEntry> settled = new ArrayList<>();
        for (AuditEntry entry : due()) {
            AuditEntry later = nodes.apply(entry.prediction().node())
                    .map(after -> judged(entry.withAfter(after)))
                    .orElse(entry);
            if (later.outcome() == Outcome.REFUSED) {
                replace(later);
            } else {
                AuditEntry last = later.outcome().isMiss() ? entry : later;
                replace(last);
                settled.add(last);
            }
        }
        return settled;
    }

    private synchronized List<AuditEntry> due() {
        Instant before = clock.instant().minus(SETTLED);
        List<AuditEntry> due =
                unsettled.stream().filter(entry -> !entry.at().isAfter(before)).toList();
        unsettled.removeIf(entry -> !entry.at().isAfter(before));
        return due;
    }

    private synchronized void replace(AuditEntry entry) {
        replace(misses, entry);
        replace(entries, entry.withoutStates());
        misses.removeIf(any -> !any.outcome().isMiss());
    }

    private static void replace(Deque<AuditEntry> all, AuditEntry entry) {
        List<AuditEntry> replaced = all.stream()
                .map(each -> each.uid().equals(entry.uid()) ? entry : each)
                .toList();
        all.clear();
        all.addAll(replaced);
    }

    private static void putFirst(Deque<AuditEntry> all, AuditEntry entry, int most) {
        all.addFirst(entry);
        if (all.size() > most) {
            all.removeLast();
        }
    }

    /** The entries, the newest first, without the states of nodes. */
    public synchronized List<AuditEntry> entries() {
        return List.copyOf(entries);
    }

    /** The entry of a pod, with the states of its node where they are kept. */
    public synchronized Optional<AuditEntry> entry(String uid) {
        return Stream.concat(misses.stream(), entries.stream())
                .filter(entry -> entry.uid().equals(uid))
                .findFirst();
    }
}
