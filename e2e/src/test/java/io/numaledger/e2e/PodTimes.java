package io.numaledger.e2e;

import io.fabric8.kubernetes.api.model.Pod;

import java.time.Duration;
import java.util.Optional;

/** What became of one pod, and when, by the clock of whoever watches it. */
final class PodTimes {

    private Runnable whenRunning = () -> {};
    private boolean shortLived;
    private Optional<Long> created = Optional.empty();
    private Optional<Long> bound = Optional.empty();
    private Optional<Long> running = Optional.empty();
    private boolean ended;
    private boolean tried;
    private Optional<String> refused = Optional.empty();

    /** @param action called once, when it runs */
    synchronized void runsForAWhileOnly(Runnable action) {
        shortLived = true;
        whenRunning = action;
    }

    synchronized void created() {
        created = Optional.of(System.nanoTime());
    }

    synchronized void seen(Pod pod) {
        long now = System.nanoTime();
        if (bound.isEmpty() && pod.getSpec().getNodeName() != null) {
            bound = Optional.of(now);
        }
        String phase = pod.getStatus().getPhase();
        if (running.isEmpty() && (phase.equals("Running") || phase.equals("Succeeded"))) {
            running = Optional.of(now);
            whenRunning.run();
        }
        ended |= phase.equals("Succeeded");
        if (phase.equals("Failed")) {
            // Containers that somebody stops leave a pod Failed, too, but without a reason of the kubelet's.
            refused = Optional.ofNullable(pod.getStatus().getReason());
            ended = true;
        }
        tried |= pod.getStatus().getConditions().stream()
                .anyMatch(condition -> "Unschedulable".equals(condition.getReason()));
    }

    synchronized void gone() {
        ended = true;
    }

    /** Unless something else changes, nothing more happens to it. */
    synchronized boolean isSettled() {
        if (ended) {
            return true;
        }
        return running.isPresent() ? !shortLived : tried && bound.isEmpty();
    }

    synchronized boolean ran() {
        return running.isPresent();
    }

    /** The kubelet's reason. */
    synchronized Optional<String> refused() {
        return refused;
    }

    synchronized boolean waits() {
        return bound.isEmpty();
    }

    /** From the moment when the API server had it; empty if it was not bound. */
    synchronized Optional<Duration> untilBound() {
        return bound.map(this::sinceCreated);
    }

    /** The same of a pod for which a node was found at once; empty if it had to wait for one. */
    synchronized Optional<Duration> untilBoundAtOnce() {
        return tried ? Optional.empty() : untilBound();
    }

    synchronized Optional<Duration> untilRunning() {
        return running.map(this::sinceCreated);
    }

    private Duration sinceCreated(long moment) {
        return Duration.ofNanos(Math.max(0, moment - created.orElse(moment)));
    }

    /** Nanoseconds of the clock that has no zero. */
    synchronized Optional<Long> createdAt() {
        return created;
    }

    synchronized Optional<Long> boundAt() {
        return bound;
    }
}
