package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.Optional;

/** Whether the agent of one node looks at its kubelet, as far as its pod tells. An agent without a pod is never away. Not thread-safe. */
final class NodeAgent {

    /** An agent that is replaced or restarted is back by then. */
    static final Duration LIMIT = Duration.ofMinutes(1);

    private final InstantSource clock;
    private Optional<Instant> awaySince = Optional.empty();

    NodeAgent(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * One of the node's agents has changed, or is gone.
     *
     * @param pods of the node
     */
    void update(Collection<PodFacts> pods) {
        awaySince = pods.stream().anyMatch(PodFacts::readyAgent)
                ? Optional.empty()
                : awaySince.or(() -> Optional.of(clock.instant()));
    }

    /** Whether no agent has been ready for a while: the kubelet may be another one than was published. */
    boolean isAway() {
        return awaySince
                .filter(since -> !since.plus(LIMIT).isAfter(clock.instant()))
                .isPresent();
    }

    /** When it counts as away. */
    Optional<Instant> nextAway() {
        return isAway() ? Optional.empty() : awaySince.map(since -> since.plus(LIMIT));
    }
}
