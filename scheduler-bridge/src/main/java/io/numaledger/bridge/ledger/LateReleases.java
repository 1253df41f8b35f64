package io.numaledger.bridge.ledger;

import io.numaledger.bridge.cluster.PodFacts;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Pods of one node that are gone while others, reserved when these were still there, are not observed yet. The kubelet may have met
 * those before it let go of these, as was predicted, or after, and then they lie elsewhere. Until it is observed which, these stay
 * charged: no third pod is promised a place that one of the two may have.
 */
final class LateReleases {

    /** For how long, where pods are observed: an agent without a CPU to run on takes its time. */
    static final Duration LIMIT = Duration.ofMinutes(1);

    /** For how long, where no pod ever was: an exporter that never tells where pods lie must not keep their zones. */
    static final Duration LIMIT_UNOBSERVED = Duration.ofSeconds(10);

    private record Late(PodFacts pod, Set<String> unobserved, Instant until) {}

    private final InstantSource clock;
    private final List<Late> late = new ArrayList<>();

    LateReleases(InstantSource clock) {
        this.clock = clock;
    }

    /**
     * A pod is gone.
     *
     * @param reserved the keys of the pods that are not observed
     * @param limit for how long it stays charged at most
     */
    void gone(PodFacts pod, Collection<String> reserved, Duration limit) {
        Set<String> others = new TreeSet<>(reserved);
        others.remove(pod.key());
        if (!others.isEmpty()) {
            late.add(new Late(pod, others, clock.instant().plus(limit)));
        }
    }

    /** A reserved pod is observed, or gone itself. */
    void settled(String key) {
        late.forEach(each -> each.unobserved().remove(key));
        late.removeIf(each -> each.unobserved().isEmpty());
    }

    /** As they were last; still charged now. */
    List<PodFacts> pods() {
        late.removeIf(each -> !each.until().isAfter(clock.instant()));
        return late.stream().map(Late::pod).toList();
    }

    /** When the first of them is charged no more, whatever happens. */
    Optional<Instant> next() {
        return late.stream().map(Late::until).min(Instant::compareTo);
    }
}
