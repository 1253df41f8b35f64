package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.BridgeMetrics;
import io.numaledger.bridge.run.Workers.Worker;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.healing.Misplaced;
import io.numaledger.scheduling.pool.NodePools;
import io.numaledger.scheduling.scheduler.SchedulerCalls;
import io.numaledger.scheduling.state.ClusterState;
import picocli.CommandLine.Option;

import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** Reports what is seen in the cluster, apart from decisions. */
final class Reporting {

    /** Flags of reports. */
    static final class Options {

        @Option(
                names = "--node-pool-label",
                paramLabel = "LABEL",
                description =
                        "label of Nodes: metrics are summed over the nodes with the same value (default: over all nodes)")
        private String nodePoolLabel = "";

        NodePools pools() {
            return new NodePools(nodePoolLabel);
        }
    }

    private final ClusterState cluster;
    private final BridgeMetrics metrics;
    private final PodEvents events;
    private final SchedulerCalls calls;
    private final LinkReporter links;
    private final ModelReporter models;
    private final CpuConflictReporter conflicts;
    private final ClaimReporter claims;
    private final ZoneReporter zones;
    private final HeapReporter heap;

    Reporting(ClusterState cluster, BridgeMetrics metrics, PodEvents events, SchedulerCalls calls, NodePools pools) {
        this.cluster = cluster;
        this.metrics = metrics;
        this.events = events;
        this.calls = calls;
        this.links = new LinkReporter(cluster, metrics.placements(), events);
        this.models = new ModelReporter(metrics.registry(), InstantSource.system());
        this.conflicts = new CpuConflictReporter(events);
        this.claims = new ClaimReporter(metrics.claims(), events, InstantSource.system());
        this.zones = new ZoneReporter(pools, metrics.zones());
        this.heap = new HeapReporter(metrics.registry());
        calls.names().forEach(name -> metrics.schedulers().lastFilterCall(name, () -> calls.lastFilter(name)));
    }

    /** Call it on the replica that leads. */
    void podChanged(PodFacts pod) {
        cluster.pods().get(pod.key()).ifPresent(known -> {
            links.podChanged(known);
            claims.podChanged(known, cluster);
        });
    }

    void podDeleted(PodFacts pod) {
        links.podDeleted(pod);
    }

    /** A pod was evicted that missed what it demanded of its placement. */
    void evicted(Misplaced found) {
        metrics.placements().evicted(found.demand());
        String reason = switch (found.demand()) {
            case CLAIM_ALIGNMENT -> "ClaimMisalignedEvicted";
            case MAX_NUMA_SPREAD -> "NumaSpreadExceededEvicted";
        };
        String sentence = "evicted, so that it is placed again: " + found.sentence();
        events.warnAgain(found.pod(), reason, sentence, Optional.empty());
    }

    void start(Workers workers, Readiness readiness, Replicas replicas) {
        workers.every(Duration.ofSeconds(1), Worker.REPORTER, "models", () -> {
            if (readiness.answers()) {
                models.report(cluster.models());
            }
        });
        workers.every(Duration.ofSeconds(1), Worker.REPORTER, "heap", heap::report);
        Duration longer = Duration.ofSeconds(10);
        workers.every(longer, Worker.REPORTER, "pod-models", () -> {
            if (readiness.answers()) {
                models.reportPods(cluster);
                models.reportSlowKubelets(cluster.models());
            }
        });
        workers.every(longer, Worker.REPORTER, "zones", () -> {
            if (readiness.answers()) {
                zones.report(cluster);
            }
        });
        workers.every(longer, Worker.REPORTER, "cpu-conflicts", () -> {
            if (replicas.leads()) {
                conflicts.report(cluster);
            }
        });
        workers.every(longer, Worker.REPORTER, "claims", () -> {
            if (readiness.answers()) {
                claims.report(cluster, replicas.leads());
            }
        });
        workers.every(longer, Worker.REPORTER, "schedulers", () -> {
            if (readiness.answers()) {
                metrics.schedulers().unaskedPods(calls.findings(cluster));
            }
        });
    }
}
