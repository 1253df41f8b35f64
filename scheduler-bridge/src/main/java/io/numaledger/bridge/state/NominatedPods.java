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

/**
 * Pods that are not bound yet and for which others are evicted on a node. Usually there are none, and never many. Thread-safe.
 *
 * <p>kube-scheduler ends a pod's nomination when it cannot bind the pod there (handleBindingCycleError, schedule_one.go), although the
 * zones of its victims may become free a moment later.
 */
final class NominatedPods {

    /** How long a pod is awaited on the node of an ended nomination: longer than agents need to report that victims are gone. */
    private static final Duration AWAITED = UnconfirmedDeletions.LIMIT.multipliedBy(2);

    private final InstantSource clock;
    private final Map<String, PodFacts> pods = new ConcurrentHashMap<>();
    private final Map<String, EndedNomination> ended = new ConcurrentHashMap<>();

    /** Watches are not later than that: kube-scheduler calls again as soon as it sees the first victim end. */
    private static final Duration SEEN = Duration.ofSeconds(2);

    /** Pods for which victims were named a moment ago. */
    private final Map<String, NamedVictims> named = new ConcurrentHashMap<>();

    private record EndedNomination(String node, Instant until) {}

    /** @param byNode node → the pods that end if kube-scheduler chooses it */
    private record NamedVictims(PodFacts pod, Map<String, List<PodFacts>> byNode, Instant since) {

        private Instant until() {
            return since.plus(AWAITED);
        }

        /** Null if there are none on that node. */
        private @Nullable NamedVictims on(String node) {
            return byNode.containsKey(node) ? new NamedVictims(pod, Map.of(node, byNode.get(node)), since) : null;
        }
    }

    NominatedPods(InstantSource clock) {
        this.clock = clock;
    }

    /** Returns the node for which the pod is nominated no more. */
    Optional<String> put(PodFacts pod) {
        if (pod.node().isPresent() || pod.ended() || pod.terminating()) {
            return remove(pod.key());
        }
        Optional<String> node = pod.priority().nominatedNode();
        if (node.isEmpty()) {
            Optional<String> before = nominationOf(pods.remove(pod.key()));
            Instant until = clock.instant().plus(AWAITED);
            before.ifPresent(left -> ended.put(pod.key(), new EndedNomination(left, until)));
            return before;
        }
        ended.remove(pod.key());
        named.computeIfPresent(pod.key(), (any, victims) -> victims.on(node.get()));
        return Optional.ofNullable(pods.put(pod.key(), pod))
                .flatMap(before -> before.priority().nominatedNode())
                .filter(before -> !node.equals(Optional.of(before)));
    }

    /** The same for a deleted pod. */
    Optional<String> remove(String podKey) {
        ended.remove(podKey);
        named.remove(podKey);
        return nominationOf(pods.remove(podKey));
    }

    private static Optional<String> nominationOf(@Nullable PodFacts pod) {
        return Optional.ofNullable(pod).flatMap(known -> known.priority().nominatedNode());
    }

    /** The node for which the pod was nominated a moment ago, and is no more. */
    Optional<String> endedNomination(String podKey) {
        return Optional.ofNullable(ended.get(podKey))
                .filter(nomination -> nomination.until().isAfter(clock.instant()))
                .map(EndedNomination::node);
    }

    /** Victims were named for a pod. kube-scheduler chooses a node, and the victims may end before the nomination is seen. */
    void victimsNamed(PodFacts pod, Map<String, List<PodFacts>> byNode) {
        Instant now = clock.instant();
        named.values().removeIf(each -> !each.until().isAfter(now));
        if (!byNode.isEmpty()) {
            named.put(pod.key(), new NamedVictims(pod, Map.copyOf(byNode), now));
        }
    }

    /**
     * The node that kube-scheduler has chosen of those for which victims were named.
     *
     * @param ends whether a pod has ended or is terminating
     */
    Optional<String> chosen(PodFacts pod, Predicate<PodFacts> ends) {
        return Optional.ofNullable(named.get(pod.key()))
                .filter(each -> each.pod().isSameAs(pod) && each.until().isAfter(clock.instant()))
                .flatMap(each -> each.byNode().entrySet().stream()
                        .filter(node -> node.getValue().stream().allMatch(ends))
                        .map(Map.Entry::getKey)
                        .findFirst());
    }

    /** Whether victims were named for the pod a moment ago, and its scheduler may be about to evict them. */
    boolean hasNamedVictims(PodFacts pod) {
        return Optional.ofNullable(named.get(pod.key()))
                .filter(each -> each.pod().isSameAs(pod) && each.until().isAfter(clock.instant()))
                .isPresent();
    }

    /** Victims were named for the pod just now, and not all of one node are seen to end yet. */
    boolean awaitsNamedVictims(PodFacts pod, Predicate<PodFacts> ends) {
        return Optional.ofNullable(named.get(pod.key()))
                .filter(each -> each.pod().isSameAs(pod)
                        && each.since().plus(SEEN).isAfter(clock.instant())
                        && each.byNode().values().stream()
                                .noneMatch(victims -> victims.stream().allMatch(ends)))
                .isPresent();
    }

    /**
     * Whether one of these victims was named just now for another pod, whose nomination may not be seen yet. One victim makes room for one pod:
     * pods that kube-scheduler nominates for the same place wait for each other.
     */
    boolean areNamedForAnother(PodFacts pod, List<PodFacts> victims) {
        return named.values().stream()
                .filter(each -> !each.pod().key().equals(pod.key())
                        && each.since().plus(SEEN).isAfter(clock.instant()))
                .flatMap(each -> each.byNode().values().stream().flatMap(List::stream))
                .anyMatch(victim -> victims.stream().anyMatch(victim::isSameAs));
    }

    boolean isEmpty() {
        return pods.isEmpty();
    }

    /** Those that are nominated for a node, the oldest first. */
    List<PodFacts> on(String node) {
        return pods.isEmpty()
                ? List.of()
                : pods.values().stream()
                        .filter(pod -> pod.priority()
                                .nominatedNode()
                                .filter(node::equals)
                                .isPresent())
                        .sorted(PodFacts.BY_AGE)
                        .toList();
    }
}
