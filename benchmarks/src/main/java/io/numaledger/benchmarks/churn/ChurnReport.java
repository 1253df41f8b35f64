package io.numaledger.benchmarks.churn;

import io.numaledger.benchmarks.figures.Percentiles;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The result of a churn.
 *
 * @param took until nothing changed any more
 */
public record ChurnReport(String mix, List<PodTimes> pods, Duration took) {

    /** The number of pods that ran, ended ones included. */
    public long ran() {
        return pods.stream().filter(PodTimes::ran).count();
    }

    /** The kubelets' reasons for refusals → number of pods. */
    public Map<String, Long> refused() {
        return pods.stream()
                .map(PodTimes::refused)
                .flatMap(Optional::stream)
                .collect(Collectors.groupingBy(reason -> reason, TreeMap::new, Collectors.counting()));
    }

    /**
     * The longest time between creation and binding of the pods that need no zone and were created in this time.
     *
     * @param begin of {@link System#nanoTime()}
     * @param end the same
     */
    public Duration longestWaitOfSmallPods(long begin, long end) {
        return pods.stream()
                .filter(PodTimes::isSmall)
                .filter(pod ->
                        pod.createdAt().filter(at -> at >= begin && at <= end).isPresent())
                .flatMap(pod -> pod.untilBound().stream())
                .max(Duration::compareTo)
                .orElse(Duration.ZERO);
    }

    /** The number of pods that have no node at the end. */
    public long waiting() {
        return pods.stream().filter(PodTimes::waits).count();
    }

    /** Bound pods per second, from the first creation until half of them were bound. */
    private double boundPerSecond() {
        long begin = pods.stream()
                .flatMap(pod -> pod.createdAt().stream())
                .mapToLong(Long::longValue)
                .min()
                .orElseThrow();
        long[] bound = pods.stream()
                .flatMap(pod -> pod.boundAt().stream())
                .mapToLong(Long::longValue)
                .sorted()
                .toArray();
        int half = (bound.length + 1) / 2;
        return half * 1e9 / (bound[half - 1] - begin);
    }

    private Percentiles boundMillis() {
        return Percentiles.of(
                pods.stream().flatMap(pod -> pod.untilBound().stream()).mapToLong(Duration::toMillis));
    }

    /** The figures as one line. */
    public String line(String scheduler) {
        return "measured: churn=%s scheduler=%s pods=%d ran=%d ".formatted(mix, scheduler, pods.size(), ran())
                + "refused=%s waiting=%d bound_per_s=%.1f ".formatted(refused(), waiting(), boundPerSecond())
                + "bound_ms_p50_p99=%s took_ms=%d".formatted(boundMillis().text(50, 99), took.toMillis());
    }
}
