package io.numaledger.benchmarks.groups;

import java.time.Duration;
import java.util.List;

/**
 * What became of the groups of a run.
 *
 * @param waits of those that ran whole, from their creation, the shortest first
 * @param broken half running until they were given up
 * @param longestHalf the longest time that a group was half running
 * @param refused pods that kubelets refused
 * @param wrongRack groups outside the one rack that they require
 * @param gpusInUse on average
 */
record GroupReport(
        int groups,
        List<Duration> waits,
        int broken,
        Duration longestHalf,
        int refused,
        int wrongRack,
        int gpusInUse,
        Duration took) {

    String line(String scheduler) {
        return "groups=%d scheduler=%s ran=%d broken=%d longest_half_running_s=%.1f refused_pods=%d wrong_rack=%d wait_p50_s=%.1f wait_p95_s=%.1f gpus_in_use=%d took_s=%d"
                .formatted(
                        groups,
                        scheduler,
                        waits.size(),
                        broken,
                        longestHalf.toMillis() / 1000.0,
                        refused,
                        wrongRack,
                        wait(50),
                        wait(95),
                        gpusInUse,
                        took.toSeconds());
    }

    private double wait(int percent) {
        return waits.isEmpty()
                ? Double.NaN
                : waits.get((waits.size() - 1) * percent / 100).toMillis() / 1000.0;
    }
}
