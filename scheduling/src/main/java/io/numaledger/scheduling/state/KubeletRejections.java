package io.numaledger.scheduling.state;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.fit.SchedulingRequest;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The pods that this bridge bound to one node and that its kubelet has neither started nor rejected yet, and the requests of pods that
 * it rejected. Equal pods are not sent to the node again at once: after {@link #FIRST}, then after twice as long each
 * time, at most {@link #MAX_BACK_OFF}. An equal pod that runs ends the back-off. Not thread-safe.
 */
final class KubeletRejections {

    static final Duration FIRST = Duration.ofSeconds(10);
    static final Duration MAX_BACK_OFF = Duration.ofMinutes(10);

    private final InstantSource clock;
    private final Map<String, Bound> inFlight = new HashMap<>();
    private final Map<SchedulingRequest, BackOff> backOffs = new HashMap<>();

    private record Bound(PodFacts pod, Evaluation evaluation) {}

    private record BackOff(Duration duration, Instant until, String reason) {

        private boolean activeAt(Instant now) {
            return now.isBefore(until);
        }

        private Refused refused() {
            return Refused.of(
                            RefusalReason.REJECTED_BY_KUBELET,
                            "the kubelet rejected an equal pod (%s)".formatted(reason),
                            false)
                    .explained("; the next attempt is at " + until);
        }
    }

    KubeletRejections(InstantSource clock) {
        this.clock = clock;
    }

    /** @param evaluation why the pod is bound */
    void bound(PodFacts pod, Evaluation evaluation) {
        inFlight.put(pod.key(), new Bound(pod, evaluation));
    }

    /** The pods in flight; the watch may show them already. */
    List<PodFacts> inFlight() {
        return inFlight.values().stream().map(Bound::pod).toList();
    }

    /** The evaluation of a pod that is in flight no more; empty if it was not. */
    Optional<Evaluation> remove(PodFacts pod) {
        Optional<Bound> known = Optional.ofNullable(inFlight.get(pod.key()))
                .filter(bound -> bound.pod().isSameAs(pod));
        known.ifPresent(bound -> inFlight.remove(pod.key()));
        return known.map(Bound::evaluation);
    }

    /** The kubelet has started the pod. Returns whether that ended a back-off. */
    boolean started(PodFacts pod) {
        return remove(pod).isPresent() && backOffs.remove(SchedulingRequest.of(pod)) != null;
    }

    /** The kubelet has rejected a pod that was in flight, and equal pods have to wait. */
    void rejected(PodFacts pod) {
        Instant now = clock.instant();
        backOffs.values().removeIf(each -> !each.activeAt(now.minus(MAX_BACK_OFF)));
        SchedulingRequest request = SchedulingRequest.of(pod);
        Duration duration = Optional.ofNullable(backOffs.get(request))
                .map(last ->
                        last.activeAt(now) ? last.duration() : last.duration().multipliedBy(2))
                .orElse(FIRST);
        duration = duration.compareTo(MAX_BACK_OFF) < 0 ? duration : MAX_BACK_OFF;
        Instant until = now.plus(duration).truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
        backOffs.put(request, new BackOff(duration, until, why(pod)));
    }

    /** Such as {@code UnexpectedAdmissionError: Allocate failed due to}, and what the device plugin said. */
    private static String why(PodFacts pod) {
        String reason = pod.reason().orElse("no reason");
        return pod.message().map(said -> reason + ": " + said).orElse(reason);
    }

    /** The requests that have to wait now, with the refusal of each. */
    Map<SchedulingRequest, Refused> waiting() {
        Instant now = clock.instant();
        Map<SchedulingRequest, Refused> waiting = new HashMap<>();
        backOffs.forEach((request, backOff) -> {
            if (backOff.activeAt(now)) {
                waiting.put(request, backOff.refused());
            }
        });
        return waiting;
    }

    /** When the next back-off ends; absent: none is active. */
    Optional<Instant> nextEnd() {
        Instant now = clock.instant();
        return backOffs.values().stream()
                .filter(each -> each.activeAt(now))
                .map(BackOff::until)
                .min(Instant::compareTo);
    }
}
