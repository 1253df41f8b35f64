package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Pods that are not bound yet and are nominated for a node: others are evicted there, or the bridge has found room. Usually there are none,
 * and never many.
 *
 * <p>Thread-safe: one lock guards all three maps, because most changes concern several of them. The lock is the last one that a thread takes:
 * the lock of the queue, of a group or of a node may be held, and nothing is called that takes another one. {@link #on} needs no lock, because
 * each evaluation of a node beside its reservations calls it.
 *
 * <p>kube-scheduler ends a pod's nomination when it cannot bind the pod there (handleBindingCycleError, schedule_one.go), although the
 * zones of its victims may become free a moment later.
 */
public final class NominatedPods {

    /** How long a preemption is remembered: longer than agents need to report that victims are gone. */
    private static final Duration AWAITED = UnconfirmedDeletions.LIMIT.multipliedBy(2);

    /** Watches are not later than that: kube-scheduler calls again as soon as it sees the first victim end. */
    private static final Duration SEEN = Duration.ofSeconds(2);

    /** How long a nomination by the bridge, or its end, counts before the watch shows it. */
    private static final Duration EXPECTED = Duration.ofSeconds(5);

    private final ShownPods known;
    private final InstantSource clock;

    /** Pod key → the pod, as the watch shows it nominated. */
    private final Map<String, PodFacts> pods = new HashMap<>();

    private final Map<String, Preemption> recent = new HashMap<>();
    private final Map<String, Expected> expected = new HashMap<>();

    /** What follows from the maps: the pods for which places are reserved, the oldest first. */
    private volatile List<PodFacts> nominated = List.of();

    /**
     * The bridge nominates a pod, or no longer counts on its nomination, and the watch does not show it yet.
     *
     * @param ends whether the nomination has ended
     */
    private record Expected(PodFacts pod, boolean ends, Instant until) {

        private boolean isEndOf(Optional<String> node) {
            return ends && pod.priority().nominatedNode().equals(node);
        }
    }

    /**
     * Victims were named for a pod, or its nomination has ended, a moment ago.
     *
     * @param byNode node → the pods that end if kube-scheduler chooses it; none where the nomination has ended
     */
    private record Preemption(PodFacts pod, Map<String, List<PodFacts>> byNode, Instant since) {

        /** Null if there are none on that node. */
        private @Nullable Preemption on(String node) {
            return byNode.containsKey(node) ? new Preemption(pod, Map.of(node, byNode.get(node)), since) : null;
        }

        private boolean isWithin(Duration time, Instant now) {
            return since.plus(time).isAfter(now);
        }
    }

    NominatedPods(ShownPods known, InstantSource clock) {
        this.known = known;
        this.clock = clock;
    }

    /** The bridge nominates a pod for a node: its place is reserved from now on, before the watch shows the nomination. */
    public void nominate(PodFacts pod, String node) {
        expect(pod, node, false);
    }

    /** The nomination of a pod for this node has ended. */
    void expectEnd(PodFacts pod, String node) {
        expect(pod, node, true);
    }

    private synchronized void expect(PodFacts pod, String node, boolean ends) {
        expected.put(
                pod.key(),
                new Expected(pod.nominatedFor(node), ends, clock.instant().plus(EXPECTED)));
        update();
    }

    private void update() {
        nominated = pods.isEmpty() && expected.isEmpty()
                ? List.of()
                : Stream.concat(
                                pods.values().stream().filter(pod -> !expected.containsKey(pod.key())),
                                expected.values().stream()
                                        .filter(each -> !each.ends())
                                        .map(Expected::pod))
                        .sorted(PodFacts.BY_AGE)
                        .toList();
    }

    /** Returns the nodes of expected nominations that the watch has not shown in time. */
    synchronized List<String> expire() {
        Instant now = clock.instant();
        List<Expected> over = expected.values().stream()
                .filter(each -> !each.until().isAfter(now))
                .toList();
        expected.values().removeAll(over);
        update();
        return over.stream().flatMap(each -> left(each).stream()).toList();
    }

    /** Returns the node for which the pod is nominated no more. */
    synchronized Optional<String> put(PodFacts pod) {
        boolean waits = pod.node().isEmpty() && !pod.ended() && !pod.terminating();
        Optional<String> left = waits ? putWaiting(pod) : removeAll(pod.key());
        update();
        return left;
    }

    private Optional<String> putWaiting(PodFacts pod) {
        Optional<String> node = pod.priority().nominatedNode();
        Optional<Expected> awaited = Optional.ofNullable(expected.get(pod.key()));
        if (node.isEmpty()) {
            Optional<String> before = nominationOf(pods.remove(pod.key()));
            if (before.isPresent()
                    && awaited.filter(each -> each.isEndOf(before)).isPresent()) {
                expected.remove(pod.key());
                return Optional.empty();
            }
            before.ifPresent(left ->
                    recent.put(pod.key(), new Preemption(pod, Map.of(left, List.of()), clock.instant())));
            return before;
        }
        if (awaited.filter(each -> each.isEndOf(node)).isEmpty()) {
            expected.remove(pod.key());
        }
        recent.computeIfPresent(pod.key(), (any, preemption) -> preemption.on(node.get()));
        return Optional.ofNullable(pods.put(pod.key(), pod))
                .flatMap(before -> before.priority().nominatedNode())
                .filter(before -> !node.equals(Optional.of(before)));
    }

    /** Forgets a deleted pod. Returns the node for which it is nominated no more. */
    synchronized Optional<String> remove(String podKey) {
        Optional<String> left = removeAll(podKey);
        update();
        return left;
    }

    private Optional<String> removeAll(String podKey) {
        recent.remove(podKey);
        Optional<Expected> awaited = Optional.ofNullable(expected.remove(podKey));
        return nominationOf(pods.remove(podKey)).or(() -> awaited.flatMap(NominatedPods::left));
    }

    private static Optional<String> left(Expected over) {
        return over.ends() ? Optional.empty() : nominationOf(over.pod());
    }

    private static Optional<String> nominationOf(@Nullable PodFacts pod) {
        return Optional.ofNullable(pod).flatMap(each -> each.priority().nominatedNode());
    }

    /**
     * Victims were named for a pod. kube-scheduler chooses a node, and the victims may end before the nomination is seen.
     *
     * @param byNode node → the pods that end if the scheduler chooses it; at least one for each node
     */
    public synchronized void victimsNamed(PodFacts pod, Map<String, List<PodFacts>> byNode) {
        Instant now = clock.instant();
        recent.values().removeIf(each -> !each.isWithin(AWAITED, now));
        if (!byNode.isEmpty()) {
            recent.put(pod.key(), new Preemption(pod, Map.copyOf(byNode), now));
            expected.computeIfPresent(pod.key(), (any, nomination) -> nomination.ends() ? null : nomination);
            update();
        }
    }

    /**
     * The node for which a pod is nominated, or was a moment ago, or that kube-scheduler has chosen of those for which victims were named.
     *
     * @param pod as its scheduler knows it, which may be before the watch shows it
     */
    public Optional<String> nodeOf(PodFacts pod) {
        return pod.priority().nominatedNode().or(() -> chosen(pod));
    }

    private synchronized Optional<String> chosen(PodFacts pod) {
        return recent(pod, AWAITED)
                .flatMap(preemption -> preemption.byNode().entrySet().stream()
                        .filter(node -> node.getValue().stream().allMatch(known::ends))
                        .map(Map.Entry::getKey)
                        .findFirst());
    }

    /** Whether victims were named for the pod a moment ago, and its scheduler may be about to evict them. */
    public synchronized boolean hasNamedVictims(PodFacts pod) {
        return recent(pod, AWAITED).isPresent();
    }

    /** Whether victims were just named for the pod: the watch may not show yet what its scheduler has done since. */
    public synchronized boolean hasJustNamedVictims(PodFacts pod) {
        return recent(pod, SEEN).isPresent();
    }

    /**
     * Whether one of these victims was named just now for another pod, whose nomination may not be seen yet. One victim makes room for
     * one pod: pods that kube-scheduler nominates for the same place wait for each other.
     */
    public synchronized boolean areNamedForAnother(PodFacts pod, List<PodFacts> victims) {
        Instant now = clock.instant();
        return recent.values().stream()
                .filter(each -> !each.pod().key().equals(pod.key()) && each.isWithin(SEEN, now))
                .flatMap(each -> each.byNode().values().stream().flatMap(List::stream))
                .anyMatch(victim -> victims.stream().anyMatch(victim::isSameAs));
    }

    /** Whether victims were just named for the pod, and not all of one node are seen to end: kube-scheduler may be about to evict them. */
    public synchronized boolean awaitsNamedVictims(PodFacts pod) {
        return recent(pod, SEEN).isPresent() && chosen(pod).isEmpty();
    }

    private Optional<Preemption> recent(PodFacts pod, Duration time) {
        return Optional.ofNullable(recent.get(pod.key()))
                .filter(each -> each.pod().isSameAs(pod) && each.isWithin(time, clock.instant()));
    }

    /** Whether no place is reserved. */
    boolean isEmpty() {
        return nominated.isEmpty();
    }

    /** The pods that are nominated for a node, the oldest first. */
    List<PodFacts> on(String node) {
        List<PodFacts> now = nominated;
        return now.isEmpty()
                ? now
                : now.stream()
                        .filter(pod -> pod.priority()
                                .nominatedNode()
                                .filter(node::equals)
                                .isPresent())
                        .toList();
    }
}
