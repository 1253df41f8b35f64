package io.numaledger.e2e.bridge;

import io.numaledger.benchmarks.churn.ChurnReport;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * A fault that a test has injected.
 *
 * @param begun of {@link System#nanoTime()}
 * @param over the same
 */
record InjectedFault(String kind, long begun, long over) {

    /** How long after its end a fault may still delay pods. */
    private static final long EFFECT = Duration.ofSeconds(5).toNanos();

    /** For people: how often each kind was injected, and the longest time that a small pod of that time waited for its node. */
    static String table(List<InjectedFault> faults, ChurnReport report) {
        Map<String, List<InjectedFault>> byKind =
                faults.stream().collect(Collectors.groupingBy(InjectedFault::kind, TreeMap::new, Collectors.toList()));
        StringBuilder table = new StringBuilder();
        byKind.forEach((kind, all) -> table.append("measured: fault=\"%s\" injected=%d took_ms=%s longest_wait_ms=%s%n"
                .formatted(
                        kind,
                        all.size(),
                        all.stream().map(InjectedFault::took).toList(),
                        all.stream()
                                .map(fault -> report.longestWaitOfSmallPods(fault.begun, fault.over + EFFECT)
                                        .toMillis())
                                .toList())));
        return table.toString().stripTrailing();
    }

    private long took() {
        return Duration.ofNanos(over - begun).toMillis();
    }
}
