package io.numaledger.benchmarks.trace;

import io.numaledger.benchmarks.node.ModelNode;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.TreeSet;

/** What became of the pods of a run so far. Times are in seconds. */
final class TraceOutcomes {

    private static final long FIRST_BACKOFF = 10;
    private static final long MAX_BACKOFF = 360;
    private static final int MOST_REFUSALS = 7;

    /** Pods that have arrived and do not run, also those that were refused or given up. */
    private final TreeSet<TracePod> pending = new TreeSet<>(TracePod.BY_AGE);
    /** Name of a pod → how often a kubelet refused it. */
    private final Map<String, Integer> refusals = new HashMap<>();

    private final List<Long> waits = new ArrayList<>();
    private int givenUp;

    void arrived(TracePod pod) {
        pending.add(pod);
    }

    /** @param waited since it arrived */
    void ran(TracePod pod, long waited) {
        pending.remove(pod);
        waits.add(waited);
    }

    /**
     * When a pod is created again that its kubelet refused. As by the Job controller: after 10 seconds, then after twice the time, 6 minutes
     * at most.
     *
     * @return empty: it is given up, after the seventh refusal
     */
    OptionalLong refused(TracePod pod) {
        int times = refusals.merge(pod.pod().name(), 1, Integer::sum);
        if (times == MOST_REFUSALS) {
            givenUp++;
            return OptionalLong.empty();
        }
        return OptionalLong.of(Math.min(MAX_BACKOFF, FIRST_BACKOFF << (times - 1)));
    }

    /** As they are now. */
    TraceReport.Gpus gpus(Collection<ModelNode> nodes) {
        List<TracePod> pods =
                pending.stream().filter(pod -> pod.pod().gpus() > 0).toList();
        long free = 0;
        long stranded = 0;
        for (ModelNode node : nodes) {
            free += node.free(Trace.GPU);
            stranded += !pods.isEmpty() && pods.stream().noneMatch(pod -> node.admits(pod.model()))
                    ? node.free(Trace.GPU)
                    : 0;
        }
        return new TraceReport.Gpus(
                nodes.stream()
                        .mapToLong(node -> node.type().allocatable(Trace.GPU))
                        .sum(),
                free,
                stranded,
                pods.stream().mapToLong(pod -> pod.pod().gpus()).sum());
    }

    /** @param gpus when the last pod had arrived */
    TraceReport report(TraceReport.Gpus gpus) {
        return new TraceReport(
                waits.stream().sorted().toList(),
                refusals.size(),
                refusals.values().stream().mapToInt(Integer::intValue).sum(),
                givenUp,
                gpus);
    }
}
