package io.numaledger.scheduling.state;

import io.numaledger.evaluation.budget.CostlyPods;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The pods that were too costly to evaluate within the last minute. Thread-safe. */
public final class RecentCostlyPods implements CostlyPods {

    /** How long a pod counts as costly: several retries of kube-scheduler, at most 10 seconds apart (its default podMaxBackoffSeconds). */
    public static final Duration DURATION = Duration.ofMinutes(1);

    private static final int MAX_PODS = 10_000;

    private final InstantSource clock;
    private final Map<String, Instant> since = new ConcurrentHashMap<>();

    RecentCostlyPods(InstantSource clock) {
        this.clock = clock;
    }

    @Override
    public void add(String pod) {
        if (since.size() >= MAX_PODS) {
            since.values().removeIf(this::isOver);
        }
        if (since.size() < MAX_PODS) {
            since.putIfAbsent(pod, clock.instant());
        }
    }

    @Override
    public boolean contains(String pod) {
        Instant begin = since.get(pod);
        if (begin != null && isOver(begin)) {
            since.remove(pod, begin);
            return false;
        }
        return begin != null;
    }

    private boolean isOver(Instant begin) {
        return Duration.between(begin, clock.instant()).compareTo(DURATION) >= 0;
    }

    /** How many pods are not evaluated now. */
    public long count() {
        return since.values().stream().filter(begin -> !isOver(begin)).count();
    }
}
