package io.numaledger.benchmarks.churn;

import io.fabric8.kubernetes.api.model.Pod;
import io.numaledger.text.ControlCharacters;

import java.time.Duration;
import java.util.Optional;

/** What became of one pod and when, by the clock of the watching process. */
public final class PodTimes {

    private final boolean small;
    private Runnable whenRunning = () -> {};
    private boolean shortLived;
    private Optional<Long> created = Optional.empty();
    private Optional<Long> bound = Optional.empty();
    private boolean ran;
    private boolean ended;
    private boolean tried;
    private Optional<String> refused = Optional.empty();

    /** @param small it needs no zone */
    PodTimes(boolean small) {
        this.small = small;
    }

    boolean isSmall() {
        return small;
    }

    /** @param action called once, when the pod runs */
    synchronized void runsForAWhile(Runnable action) {
        shortLived = true;
        whenRunning = action;
    }

    synchronized void created() {
        created = Optional.of(System.nanoTime());
    }

    synchronized void seen(Pod pod) {
        if (bound.isEmpty() && pod.getSpec().getNodeName() != null) {
            bound = Optional.of(System.nanoTime());
        }
        String phase = pod.getStatus().getPhase();
        if (!ran && (phase.equals("Running") || phase.equals("Succeeded"))) {
            ran = true;
            whenRunning.run();
        }
        ended |= phase.equals("Succeeded");
        if (phase.equals("Failed")) {
            // A pod whose containers were stopped is Failed, too, but has no reason from the kubelet.
            refused = Optional.ofNullable(pod.getStatus().getReason());
            refused.filter(reason -> !ended)
                    .ifPresent(reason -> System.out.println(
                            ControlCharacters.escaped("refused: pod=%s node=%s reason=%s message=\"%s\""
                                    .formatted(
                                            pod.getMetadata().getName(),
                                            pod.getSpec().getNodeName(),
                                            reason,
                                            pod.getStatus().getMessage()))));
            ended = true;
        }
        tried |= pod.getStatus().getConditions().stream()
                .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }

    synchronized void gone() {
        ended = true;
    }

    /** Whether nothing more happens to the pod unless something else changes. */
    synchronized boolean isSettled() {
        if (ended) {
            return true;
        }
        return ran ? !shortLived : tried && bound.isEmpty();
    }

    synchronized boolean ran() {
        return ran;
    }

    /** The reason that the kubelet gave for its refusal. */
    synchronized Optional<String> refused() {
        return refused;
    }

    synchronized boolean waits() {
        return bound.isEmpty();
    }

    /** Since its creation; empty if it was not bound. */
    synchronized Optional<Duration> untilBound() {
        return bound.map(at -> Duration.ofNanos(Math.max(0, at - created.orElse(at))));
    }

    /** Of {@link System#nanoTime()}. */
    synchronized Optional<Long> createdAt() {
        return created;
    }

    synchronized Optional<Long> boundAt() {
        return bound;
    }
}
