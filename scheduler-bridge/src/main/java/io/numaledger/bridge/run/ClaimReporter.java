package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.ClaimMetrics;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.claim.ClaimAlignment.Misaligned;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.dra.ClusterClaims;
import io.numaledger.scheduling.healing.Misplaced;
import io.numaledger.scheduling.state.ClusterState;

import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Reports pods whose claimed devices lie on other NUMA nodes than their CPUs and memory, or than each other, as an event on the pod and as
 * metrics. Reports are for one thread.
 */
final class ClaimReporter {

    private final ClaimMetrics metrics;
    private final PodEvents events;

    private final InstantSource clock;

    /** What was written, by pod key and uid. */
    private Map<String, String> reported = new HashMap<>();

    /** Pod key and uid → the running pod, which was misaligned when it changed last, since the last report. */
    private final Map<String, Changed> changed = new ConcurrentHashMap<>();

    private Instant leadingSince;

    private record Changed(PodFacts pod, Misaligned found) {}

    ClaimReporter(ClaimMetrics metrics, PodEvents events, InstantSource clock) {
        this.metrics = metrics;
        this.events = events;
        this.clock = clock;
        this.leadingSince = clock.instant();
    }

    /** A pod has changed, which may end before the next report. From any thread, on the replica that leads. */
    void podChanged(PodFacts pod, ClusterState cluster) {
        if (!pod.claims().isEmpty() && pod.running() && !pod.terminating()) {
            Misplaced.misaligned(pod, cluster)
                    .ifPresentOrElse(
                            found -> changed.put(key(pod), new Changed(pod, found)), () -> changed.remove(key(pod)));
        }
    }

    /**
     * Looks at all pods with claims, and reports those that have ended since the last time: call it every ten seconds or so.
     *
     * @param leads whether this replica writes events
     */
    void report(ClusterState cluster, boolean leads) {
        ClusterClaims claims = cluster.claims();
        metrics.devices(NodeDevices.counts(Stream.concat(
                Stream.of(claims.devicesOfNoNode()), claims.nodes().stream().map(claims::devices))));
        SortedMap<String, Integer> byDriver = new TreeMap<>();
        Map<String, String> now = new HashMap<>();
        Map<String, Changed> ended = new HashMap<>();
        changed.forEach((key, pod) -> {
            if (changed.remove(key, pod)) {
                ended.put(key, pod);
            }
        });
        for (PodFacts pod : cluster.pods().all()) {
            if (pod.running() && !pod.terminating()) {
                ended.remove(key(pod));
            }
            Misplaced.misaligned(pod, cluster).ifPresent(found -> {
                found.drivers().forEach(driver -> byDriver.merge(driver, 1, Integer::sum));
                now.put(key(pod), found.sentence());
                if (leads) {
                    count(pod, found);
                    warn(pod, found.sentence());
                }
            });
        }
        if (leads) {
            ended.values().forEach(each -> {
                count(each.pod(), each.found());
                warn(each.pod(), each.found().sentence());
            });
        }
        metrics.misaligned(byDriver);
        if (leads) {
            reported = now;
        } else {
            leadingSince = clock.instant();
        }
    }

    private static String key(PodFacts pod) {
        return pod.key() + " " + pod.uid().orElse("");
    }

    /** Counts a misaligned pod, unless it started before this replica led: such pods are the last leader's. */
    private void count(PodFacts pod, Misaligned found) {
        if (found.isFromCpusOrMemory()
                && !reported.containsKey(key(pod))
                && pod.startedAt().filter(leadingSince::isBefore).isPresent()) {
            demand(pod).ifPresent(metrics::misalignedAfterBind);
        }
    }

    private static Optional<AlignmentDemand> demand(PodFacts pod) {
        try {
            return AlignmentDemand.of(pod);
        } catch (IllegalArgumentException invalid) {
            return Optional.empty(); // an event on the pod says so
        }
    }

    /** Warns once, and again when the sentence changes. */
    private void warn(PodFacts pod, String sentence) {
        if (!sentence.equals(reported.get(key(pod)))) {
            events.warn(pod, "ClaimMisaligned", sentence);
        }
    }
}
