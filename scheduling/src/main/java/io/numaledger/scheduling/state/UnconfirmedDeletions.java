package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.PublishedPods;
import io.numaledger.nrt.NodeTopology;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Pods of a node that were deleted while they ran, with a grace period of zero or because the node was lost: no kubelet has confirmed that
 * they have ended. They count as terminating until the agent's zones no longer show them, or for {@link #LIMIT}. Not thread-safe.
 */
final class UnconfirmedDeletions {

    /** Kubelet and agent need less than a second, unless one of them does not run. */
    static final Duration LIMIT = Duration.ofSeconds(10);

    private final InstantSource clock;
    private final Map<String, Instant> until = new HashMap<>();

    UnconfirmedDeletions(InstantSource clock) {
        this.clock = clock;
    }

    /** Whether a pod that was deleted in this state may still hold what its agent has observed. */
    static boolean mayHold(PodFacts pod, Optional<NodeTopology> topology) {
        return pod.running()
                && pod.observed()
                && topology.filter(NodeTopology::isFromAgent).isPresent();
    }

    void add(PodFacts deleted) {
        until.put(deleted.key(), clock.instant().plus(LIMIT));
    }

    /** Takes the pods that hold nothing any more. Returns their keys. */
    List<String> takeEnded(Optional<NodeTopology> topology, Collection<PodFacts> pods) {
        if (until.isEmpty()) {
            return List.of();
        }
        List<PodFacts> others = pods.stream()
                .filter(pod -> !pod.ended() && !until.containsKey(pod.key()))
                .toList();
        List<String> all = others.stream().map(PodFacts::key).toList();
        List<String> observed =
                others.stream().filter(PodFacts::observed).map(PodFacts::key).toList();
        boolean shown = topology.filter(zones -> !PublishedPods.are(zones, all, observed))
                .isPresent();
        Instant now = clock.instant();
        List<String> ended = until.entrySet().stream()
                .filter(each -> !each.getValue().isAfter(now) || !(shown || isReused(each.getKey(), all)))
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        ended.forEach(until::remove);
        return ended;
    }

    /** The agent publishes names: those of a new pod do not tell whether it still sees the deleted one. */
    private static boolean isReused(String deleted, List<String> keys) {
        return keys.stream().anyMatch(key -> deleted.equals(PodFacts.deletedKey(key)));
    }

    /** When the next deleted pod is taken to have ended. */
    Optional<Instant> nextEnd() {
        return until.values().stream().min(Comparator.naturalOrder());
    }
}
