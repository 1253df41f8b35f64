package io.numaledger.bridge.run;

import io.numaledger.bridge.run.Workers.Worker;
import io.numaledger.cli.GoDuration;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.preemption.DisruptionBudgets;
import io.numaledger.scheduling.preemption.ZoneEviction;
import io.numaledger.scheduling.queue.PendingPodQueue;
import io.numaledger.scheduling.queue.Requeuer;
import io.numaledger.scheduling.state.ClusterState;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Pods that every node refused. Nodes are reserved for the oldest ones, and other pods are evicted for them if a flag says so. */
public final class PendingPods {

    /** Default of {@code --hold-after}. */
    public static final Duration HOLD_AFTER = Duration.ofSeconds(2);

    static final class Options {

        @Option(
                names = "--hold-after",
                paramLabel = "DURATION",
                converter = GoDuration.class,
                description =
                        "reserve zones that become free for a pod that has been pending for this long; 0s: never (default: 2s)")
        private Duration holdAfter = HOLD_AFTER;

        @Option(
                names = "--evict-for-zones",
                description =
                        "evict lower-priority pods for a pod that waits for zones, if kube-scheduler preempts none; respects disruption budgets")
        private boolean evictForZones;

        @Option(
                names = "--give-back-claims",
                description =
                        "remove the allocation of ResourceClaims that nobody uses and that keep a pod on a node where it does not fit, if kube-scheduler does not")
        private boolean giveBackClaims;

        boolean givesBackClaims() {
            return giveBackClaims;
        }

        void check() {
            if (holdAfter.isNegative()) {
                throw new IllegalArgumentException("--hold-after is negative; use 0s (never) or more");
            }
        }

        PendingPodQueue queue(ClusterState cluster, BatchEvaluator evaluator, LongSupplier nanos, Requeuer requeuer) {
            return new PendingPodQueue(cluster, evaluator, holdAfter, nanos, requeuer);
        }
    }

    private final Options options;
    private final ClusterState cluster;
    private final Set<String> schedulers;
    private final PendingPodQueue queue;

    PendingPods(
            Options options,
            ClusterState cluster,
            BatchEvaluator evaluator,
            Set<String> schedulers,
            Requeuer requeuer) {
        this.options = options;
        this.cluster = cluster;
        this.schedulers = schedulers;
        this.queue = options.queue(cluster, evaluator, System::nanoTime, requeuer);
    }

    PendingPodQueue queue() {
        return queue;
    }

    void podChanged(PodFacts pod) {
        pod.node().ifPresent(node -> queue.remove(pod));
    }

    void podDeleted(PodFacts pod) {
        queue.remove(pod);
    }

    /** The process that led before this one may have refused pods. */
    void restore() {
        cluster.pods().unbound().stream()
                .filter(pod -> pod.refusedForZones() && schedulers.contains(pod.scheduler()))
                .forEach(queue::restore);
    }

    void start(Workers workers, Replicas replicas, Supplier<DisruptionBudgets> budgets, InstantSource clock) {
        workers.every(PendingPodQueue.CHECK_INTERVAL, Worker.QUEUE, "pending-pods", queue::checkPending);
        if (options.evictForZones) {
            ZoneEviction eviction = new ZoneEviction(cluster, budgets, replicas.evictor(), clock);
            workers.every(Duration.ofSeconds(1), Worker.EVICTOR, "zone-eviction", () -> {
                if (replicas.leads()) {
                    eviction.check(queue.waiting());
                }
            });
        }
    }
}
