package io.numaledger.benchmarks.groups;

import io.numaledger.benchmarks.figures.Percentiles;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a run.
 *
 * @param refused the kubelets' reasons → number of pods
 * @param links whether the pods that demand linked GPUs got them
 * @param gpuTenths the mean number of GPUs of pods that ran while groups came, in tenths
 * @param incompleteGpuTenths the same of groups some of whose pods did not run
 * @param took until the last group ended
 */
record GroupReport(
        GroupMix mix,
        List<GroupRecord> groups,
        Map<String, Long> refused,
        LinkedPods links,
        long gpuTenths,
        long incompleteGpuTenths,
        Duration took) {

    /** A real scheduler needs this long to bind 16 pods, and the kubelets to start them. */
    private static final Duration STARTING = Duration.ofSeconds(10);

    /** The number of groups all of whose pods ran together. */
    private long ran() {
        return groups.stream().filter(GroupRecord::isUp).count();
    }

    private long brokeRule() {
        return groups.stream().filter(GroupRecord::brokeRule).count();
    }

    private List<Duration> incomplete() {
        return groups.stream().map(GroupRecord::longestIncomplete).sorted().toList();
    }

    /** What the bridge promises for its groups. */
    boolean isSound() {
        return refused.isEmpty() && brokeRule() == 0 && links.unlinked() == 0 && ran() == groups.size();
    }

    private Duration longestIncomplete() {
        return incomplete().get(groups.size() - 1);
    }

    private long lastingIncomplete() {
        return incomplete().stream()
                .filter(time -> time.compareTo(STARTING) > 0)
                .count();
    }

    private String wait(int percent) {
        Percentiles waits = Percentiles.of(groups.stream()
                .map(GroupRecord::untilUp)
                .flatMap(Optional::stream)
                .mapToLong(Duration::toMillis));
        return waits.count() == 0 ? "none" : seconds(Duration.ofMillis(waits.at(percent)));
    }

    private static String seconds(Duration time) {
        return "%.1f".formatted(time.toMillis() / 1000.0);
    }

    /** The figures as one line. */
    String line(String scheduler) {
        return "measured: groups scheduler=%s seed=%d groups=%d ".formatted(scheduler, mix.seed(), groups.size())
                + "ran=%d refused_pods=%s incomplete_over_10_s=%d ".formatted(ran(), refused, lastingIncomplete())
                + "incomplete_s_longest=%s rack_rule_broken=%d ".formatted(seconds(longestIncomplete()), brokeRule())
                + "linked_pods=%d unlinked_pods=%d ".formatted(links.linked(), links.unlinked())
                + "wait_s_p50_p95=%s/%s gpus_mean=%.1f ".formatted(wait(50), wait(95), gpuTenths / 10.0)
                + "gpus_of_incomplete_mean=%.1f took_s=%d".formatted(incompleteGpuTenths / 10.0, took.toSeconds());
    }
}
