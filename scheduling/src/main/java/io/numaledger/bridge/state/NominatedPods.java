package io.numaledger.bridge.state;

import io.numaledger.bridge.objects.PodFacts;
import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Pods that are not bound yet and are nominated for a node: others are evicted there, or the bridge has found room. Usually there are none,
 * and never many. Thread-safe.
 *
 * <p>kube-scheduler ends a pod's nomination when it cannot bind the pod there (handleBindingCycleError, schedule_one.go), although the
 * zones of its victims may become free a moment later.
 */
final class NominatedPods {

    /** How long a preemption is remembered: longer than agents need to report that victims are gone. */
    private static final Duration AWAITED = UnconfirmedDeletions.LIMIT.multipliedBy(2);

    /** Watches are not later than that: kube-scheduler calls again as soon as it sees the first victim end. */
    private static final Duration SEEN = Duration.ofSeconds(2);

    /** How long a nomination by the bridge, or its end, counts before the watch shows it. */
    private static final Duration EXPECTED = Duration.ofSeconds(5);

    private final InstantSource clock;
    private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();
    private final Map<String, Preemption> recent = new ConcurrentHashMap<>();
    private final Map<String, Expected> expected = new ConcurrentHashMap<>();

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

    NominatedPods(InstantSource clock) {
        this.clock = clock;
    }

    /** The bridge nominates a pod for this node. */
    void expect(PodFacts pod, String node) {
        expect(pod, node, false);
    }

    /** The nomination of a pod for this node has ended. */
    void expectEnd(PodFacts pod, String node) {
        expect(pod, node, true);
    }

    private void expect(PodFacts pod, String node, boolean ends) {
        expected.put(
                pod.key(),
                new Expected(pod.nominatedFor(node), ends, clock.instant().plus(EXPECTED)));
    }

    /** Returns the nodes of expected nominations that the watch has not shown in time. */
    List<String> expire() {
        if (expected.isEmpty()) {
            return List.of();
        }
        Instant now = clock.instant();
        List<Expected> over = expected.values().stream()
                .filter(each -> !each.until().isAfter(now))
                .toList();
        expected.values().removeAll(over);
        return over.stream().flatMap(each -> left(each).stream()).toList();
    }

    /** Returns the node for which the pod is nominated no more. */
    Optional<String> put(PodFacts pod) {
        if (pod.node().isPresent() || pod.ended() || pod.terminating()) {
            return remove(pod.key());
        }
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

    /** The same for a deleted pod. */
    Optional<String> remove(String podKey) {
        recent.remove(podKey);
        Optional<Expected> awaited = Optional.ofNullable(expected.remove(podKey));
        return nominationOf(pods.remove(podKey)).or(() -> awaited.flatMap(NominatedPods::left));
    }

    private static Optional<String> left(Expected over) {
        return over.ends() ? Optional.empty() : nominationOf(over.pod());
    }

    private static Optional<String> nominationOf(@Nullable PodFacts pod) {
        return Optional.ofNullable(pod).flatMap(known -> known.priority().nominatedNode());
    }

    /** Victims were named for a pod. kube-scheduler chooses a node, and the victims may end before the nomination is seen. */
    void victimsNamed(PodFacts pod, Map<String, List<PodFacts>> byNode) {
        Instant now = clock.instant();
        recent.values().removeIf(each -> !each.isWithin(AWAITED, now));
        if (!byNode.isEmpty()) {
            recent.put(pod.key(), new Preemption(pod, Map.copyOf(byNode), now));
            expected.computeIfPresent(pod.key(), (any, nomination) -> nomination.ends() ? null : nomination);
        }
    }

    /**
     * The node for which the pod was nominated a moment ago, or that kube-scheduler has chosen of those for which victims were named.
     *
     * @param ends whether a pod has ended or is terminating
     */
    Optional<String> chosen(PodFacts pod, Predicate<PodFacts> ends) {
        return recent(pod, AWAITED)
                .flatMap(preemption -> preemption.byNode().entrySet().stream()
                        .filter(node -> node.getValue().stream().allMatch(ends))
                        .map(Map.Entry::getKey)
                        .findFirst());
    }

    /** Whether victims were named for the pod a moment ago, and its scheduler may be about to evict them. */
    boolean hasNamedVictims(PodFacts pod) {
        return recent(pod, AWAITED).isPresent();
    }

    /** Whether that was just now: not all that has followed may be seen yet. */
    boolean hasJustNamedVictims(PodFacts pod) {
        return recent(pod, SEEN).isPresent();
    }

    /**
     * Whether one of these victims was named just now for another pod, whose nomination may not be seen yet. One victim makes room for
     * one pod: pods that kube-scheduler nominates for the same place wait for each other.
     */
    boolean areNamedForAnother(PodFacts pod, List<PodFacts> victims) {
        Instant now = clock.instant();
        return recent.values().stream()
                .filter(each -> !each.pod().key().equals(pod.key()) && each.isWithin(SEEN, now))
                .flatMap(each -> each.byNode().values().stream().flatMap(List::stream))
                .anyMatch(victim -> victims.stream().anyMatch(victim::isSameAs));
    }

    /** The same while not all victims of one node are seen to end: kube-scheduler may be about to evict them. */
    boolean awaitsNamedVictims(PodFacts pod, Predicate<PodFacts> ends) {
        return recent(pod, SEEN).isPresent() && chosen(pod, ends).isEmpty();
    }

    private Optional<Preemption> recent(PodFacts pod, Duration time) {
        return Optional.ofNullable(recent.get(pod.key()))
                .filter(each -> each.pod().isSameAs(pod) && each.isWithin(time, clock.instant()));
    }

    boolean isEmpty() {
        return pods.isEmpty() && expected.isEmpty();
    }

    /** Those that are nominated for a node, the oldest first. */
    List<PodFacts> on(String node) {
        return isEmpty()
                ? List.of()
                : Stream.concat(
                                pods.values().stream().filter(pod -> !expected.containsKey(pod.key())),
                                expected.values().stream()
                                        .filter(each -> !each.ends())
                                        .map(Expected::pod))
                        .filter(pod -> pod.priority()
                                .nominatedNode()
                                .filter(node::equals)
                                .isPresent())
                        .sorted(PodFacts.BY_AGE)
                        .toList();
    }
}
