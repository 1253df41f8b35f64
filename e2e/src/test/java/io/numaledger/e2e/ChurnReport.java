package io.numaledger.e2e;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * What came of a churn.
 *
 * @param took until nothing was left to do
 */
record ChurnReport(String mix, List<PodTimes> pods, Duration took) {

    /** Pods that ran, those that have ended since too. */
    long ran() {
        return pods.stream().filter(PodTimes::ran).count();
    }

    /** The kubelets' reasons → how many pods. */
    Map<String, Long> refused() {
        return pods.stream()
                .map(PodTimes::refused)
                .flatMap(Optional::stream)
                .collect(Collectors.groupingBy(reason -> reason, TreeMap::new, Collectors.counting()));
    }

    /** Pods without a node in the end. */
    long waiting() {
        return pods.stream().filter(PodTimes::waits).count();
    }

    /** Pods that did not have to wait for a node. */
    private long boundAtOnce() {
        return pods.stream().filter(pod -> pod.untilBoundAtOnce().isPresent()).count();
    }

    /** Pods bound in a second, from the first creation to the moment when half of the bound ones were bound. */
    double boundPerSecond() {
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

    /** In milliseconds. */
    private String percentiles(Function<PodTimes, Optional<Duration>> what) {
        List<Long> all = pods.stream()
                .map(what)
                .flatMap(Optional::stream)
                .map(Duration::toMillis)
                .sorted()
                .toList();
        return "%d/%d".formatted(all.get(all.size() / 2), all.get(all.size() * 99 / 100));
    }

    /** One line, for the measured figures. */
    String line(String scheduler) {
        return "measured: churn=%s scheduler=%s pods=%d ran=%d refused=%s waiting=%d bound_per_s=%.1f bound_ms_p50_p99=%s bound_at_once=%d bound_at_once_ms_p50_p99=%s running_ms_p50_p99=%s took_ms=%d"
                .formatted(
                        mix,
                        scheduler,
                        pods.size(),
                        ran(),
                        refused(),
                        waiting(),
                        boundPerSecond(),
                        percentiles(PodTimes::untilBound),
                        boundAtOnce(),
                        percentiles(PodTimes::untilBoundAtOnce),
                        percentiles(PodTimes::untilRunning),
                        took.toMillis());
    }
}
