package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.figures.Percentiles;

import java.util.List;

/**
 * The result of a run.
 *
 * @param waits of the pods that ran, in seconds from their arrival, sorted
 * @param refusedPods the number of pods that a kubelet refused once or more
 * @param refusals how often a kubelet refused a pod
 * @param givenUp the number of pods that were not created again
 */
record TraceReport(List<Long> waits, int refusedPods, int refusals, int givenUp, Gpus gpus) {

    /**
     * GPUs when the last pod has arrived.
     *
     * @param all of the nodes
     * @param free taken by no pod
     * @param stranded free on nodes whose kubelets would admit none of the pods with GPUs that do not run
     * @param pending requested by pods that do not run
     */
    record Gpus(long all, long free, long stranded, long pending) {}

    /** The figures as a part of a line. */
    String figures() {
        Percentiles waited = Percentiles.of(waits.stream().mapToLong(Long::longValue));
        long waiting = waits.stream().filter(wait -> wait > 0).count();
        return "ran=%d refused_pods=%d refusals=%d given_up=%d ".formatted(waits.size(), refusedPods, refusals, givenUp)
                + "gpus=%d gpus_free=%d gpus_stranded=%d ".formatted(gpus.all(), gpus.free(), gpus.stranded())
                + "gpus_pending=%d waited=%d ".formatted(gpus.pending(), waiting)
                + "wait_s_mean=%d wait_s_p95_p99=%s".formatted((long) waited.mean(), waited.text(95, 99));
    }
}
