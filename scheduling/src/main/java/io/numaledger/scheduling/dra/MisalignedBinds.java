package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.facts.PodFacts;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.IntSupplier;

/**
 * Nodes where kube-scheduler has allocated devices that do not lie near a pod's CPUs, so that its bind was refused. The pod is not sent
 * there again while the same devices are free and its CPUs would come from the same zones. After a change it waits for {@link #FIRST}, then
 * for twice as long after each failure; after {@link #MAX} the node is tried in any case. Thread-safe.
 */
public final class MisalignedBinds {

    static final Duration FIRST = Duration.ofSeconds(1);
    static final Duration MAX = Duration.ofMinutes(5);

    private static final int MAX_DOUBLINGS = 16;

    private final InstantSource clock;
    private final Consumer<String> nodeChanged;
    private final Map<String, Map<String, Failure>> byPod = new ConcurrentHashMap<>();
    private Instant expired;

    /** @param condition a hash of what decides which devices the pod gets */
    private record Failure(int condition, int count, Instant at) {

        private Instant pauseEnd() {
            Duration pause = FIRST.multipliedBy(1L << Math.min(MAX_DOUBLINGS, count - 1));
            return at.plus(pause.compareTo(MAX) < 0 ? pause : MAX);
        }

        private Instant end() {
            return at.plus(MAX);
        }

        private boolean refusesAt(Instant now, IntSupplier conditionNow) {
            return now.isBefore(pauseEnd()) || (now.isBefore(end()) && conditionNow.getAsInt() == condition);
        }
    }

    /** @param nodeChanged called with the name of a node that a pod may try again because time has passed */
    MisalignedBinds(InstantSource clock, Consumer<String> nodeChanged) {
        this.clock = clock;
        this.nodeChanged = nodeChanged;
        this.expired = clock.instant();
    }

    /** @param condition a hash of the free devices, those of the pod's claims among them, and of the pod's zones */
    public synchronized void failed(PodFacts pod, String node, int condition) {
        byPod.computeIfAbsent(pod.uid().orElse(""), any -> new ConcurrentHashMap<>())
                .compute(
                        node,
                        (same, before) ->
                                new Failure(condition, before == null ? 1 : before.count() + 1, clock.instant()));
    }

    /** Whether the pod is not to be sent to the node now. */
    public boolean refuses(PodFacts pod, String node, IntSupplier condition) {
        return Optional.ofNullable(failures(pod).get(node))
                .filter(failure -> failure.refusesAt(clock.instant(), condition))
                .isPresent();
    }

    /** Whether a bind of the pod was refused: it has or had claims. */
    public boolean concern(PodFacts pod) {
        return !failures(pod).isEmpty();
    }

    private Map<String, Failure> failures(PodFacts pod) {
        return byPod.getOrDefault(pod.uid().orElse(""), Map.of());
    }

    /** Has pods look again at nodes that may be tried again. Call it about once a second. */
    public synchronized void expire() {
        Instant before = expired;
        Instant now = clock.instant();
        expired = now;
        byPod.values().forEach(failures -> {
            failures.forEach((node, failure) -> {
                if (isBetween(before, failure.pauseEnd(), now) || isBetween(before, failure.end(), now)) {
                    nodeChanged.accept(node);
                }
            });
            failures.values().removeIf(failure -> now.isAfter(failure.end().plus(MAX)));
        });
        byPod.values().removeIf(Map::isEmpty);
    }

    private static boolean isBetween(Instant before, Instant time, Instant now) {
        return time.isAfter(before) && !time.isAfter(now);
    }
}
