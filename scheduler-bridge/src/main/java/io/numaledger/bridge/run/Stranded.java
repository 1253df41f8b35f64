package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.StrandedMetrics;
import io.numaledger.bridge.run.Workers.Worker;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.pool.NodePools;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.state.ClusterState;
import io.numaledger.scheduling.stranded.CachedMoves;
import io.numaledger.scheduling.stranded.MoveSearch;
import io.numaledger.scheduling.stranded.ReferencePods;
import io.numaledger.scheduling.stranded.StrandedCapacity;
import io.numaledger.scheduling.stranded.StrandedReport;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/** Counts stranded capacity, on a thread of its own, and measures it. */
final class Stranded {

    /** What changes a node several times within it costs one count. */
    private static final Duration PAUSE = Duration.ofSeconds(5);

    /** About half a second of a processor at most. */
    private static final int MOST_NODES = 500;

    /** Once all nodes have been counted, counting takes this part of a processor at most: schedulers come first. */
    private static final int PART = 50;

    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Flags of reference pods. */
    static final class Options {

        @Option(
                names = "--reference-pod",
                paramLabel = "NAME:RESOURCE=AMOUNT,…",
                description =
                        "a size of pods by which stranded capacity is counted, such as gpu-4:cpu=16,memory=128Gi,nvidia.com/gpu=4; gpu-links=required among the amounts: its GPUs need links. Can be repeated (default: 1, 2, 4 and 8 GPUs with their share of each node, and the CPUs of a zone)")
        private List<String> references = List.of();

        void check() {
            var unused = references();
        }

        private ReferencePods references() {
            return ReferencePods.of(references);
        }
    }

    private final StrandedCapacity capacity;
    private final MoveSearch.Finder moves;
    private final StrandedMetrics metrics;
    private final ClusterState cluster;
    private StrandedReport reported = StrandedReport.NONE;
    private long counted;
    private long nextNanos = System.nanoTime();

    /** @param constrained see {@link MoveSearch#finder} */
    Stranded(
            Options options,
            ClusterState cluster,
            NodePools pools,
            StrandedMetrics metrics,
            Function<PodFacts, Optional<PodFacts>> constrained,
            Supplier<DisruptionBudgets> budgets) {
        this.cluster = cluster;
        this.capacity = new StrandedCapacity(cluster, options.references(), pools::of);
        this.moves = new CachedMoves(
                MoveSearch.finder(cluster, capacity, constrained, budgets), capacity::report, System::nanoTime);
        this.metrics = metrics;
    }

    StrandedCapacity capacity() {
        return capacity;
    }

    MoveSearch.Finder moves() {
        return moves;
    }

    void start(Workers workers, Readiness readiness) {
        workers.every(PAUSE, Worker.COUNTER, "stranded", () -> {
            if (readiness.answers() && System.nanoTime() - nextNanos >= 0) {
                count();
            }
        });
    }

    private void count() {
        long begun = System.nanoTime();
        counted += capacity.update(MOST_NODES);
        StrandedReport now = capacity.report();
        if (!now.equals(reported)) {
            metrics.report(now);
            reported = now;
        }
        if (counted >= cluster.index().size()) {
            long ended = System.nanoTime();
            nextNanos = ended + Math.min(LONGEST_PAUSE_NANOS, PART * (ended - begun));
        }
    }
}
