package io.numaledger.bridge.run;

import io.numaledger.bridge.claim.ClaimAlignment;
import io.numaledger.bridge.claim.ClaimAlignment.Misaligned;
import io.numaledger.bridge.claim.ClaimedDevice;
import io.numaledger.bridge.claim.NodeDevices;
import io.numaledger.bridge.claims.ClusterClaims;
import io.numaledger.bridge.metrics.ClaimMetrics;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.PlacementSource;
import io.numaledger.bridge.snapshot.PodHolding;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.placement.Placement;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Reports pods whose claimed devices lie on other NUMA nodes than their CPUs and memory, as an event on the pod and as metrics. For one
 * thread.
 */
final class ClaimReporter {

    private final ClaimMetrics metrics;
    private final PodEvents events;

    /** What was written, by pod key and uid. */
    private Map<String, String> reported = new HashMap<>();

    ClaimReporter(ClaimMetrics metrics, PodEvents events) {
        this.metrics = metrics;
        this.events = events;
    }

    /**
     * Looks at all pods with claims: call it every ten seconds or so.
     *
     * @param leads whether this replica writes events
     */
    void report(ClusterState cluster, boolean leads) {
        ClusterClaims claims = cluster.claims();
        metrics.devices(NodeDevices.counts(Stream.concat(
                Stream.of(claims.devicesOfNoNode()), claims.nodes().stream().map(claims::devices))));
        SortedMap<String, Integer> byDriver = new TreeMap<>();
        Map<String, String> now = new HashMap<>();
        for (PodFacts pod : cluster.pods()) {
            if (!pod.claims().isEmpty() && pod.running() && !pod.terminating()) {
                misaligned(pod, cluster).ifPresent(found -> {
                    found.drivers().forEach(driver -> byDriver.merge(driver, 1, Integer::sum));
                    now.put(pod.key() + " " + pod.uid().orElse(""), found.sentence());
                    warn(pod, found.sentence(), leads);
                });
            }
        }
        metrics.misaligned(byDriver);
        if (leads) {
            reported = now;
        }
    }

    /** Once, and again when it changes. */
    private void warn(PodFacts pod, String sentence, boolean leads) {
        if (leads && !sentence.equals(reported.get(pod.key() + " " + pod.uid().orElse("")))) {
            events.warn(pod, "ClaimMisaligned", sentence);
        }
    }

    private static Optional<Misaligned> misaligned(PodFacts pod, ClusterState cluster) {
        List<ClaimedDevice> devices = cluster.claims().devicesOf(pod);
        return devices.isEmpty()
                ? Optional.empty()
                : observed(pod, cluster)
                        .map(placement -> ClaimAlignment.of(devices, placement))
                        .filter(Misaligned.class::isInstance)
                        .map(Misaligned.class::cast);
    }

    /** Absent until its agent has reported it. */
    private static Optional<Placement> observed(PodFacts pod, ClusterState cluster) {
        return pod.node()
                .flatMap(cluster::snapshot)
                .flatMap(node -> node.pods().stream()
                        .filter(held -> held.key().equals(pod.key())
                                && (held.source() == PlacementSource.OBSERVED_EXACTLY
                                        || held.source() == PlacementSource.OBSERVED))
                        .map(PodHolding::placement)
                        .findFirst());
    }
}
