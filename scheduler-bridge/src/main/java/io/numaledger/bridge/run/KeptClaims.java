package io.numaledger.bridge.run;

import io.numaledger.bridge.metrics.ClaimMetrics;
import io.numaledger.bridge.watch.PodEvents;
import io.numaledger.evaluation.claim.ClaimAllocation;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.holder.PodNames;
import io.numaledger.scheduling.batch.BatchEvaluator;
import io.numaledger.scheduling.dra.ClaimWriter;
import io.numaledger.scheduling.state.ClusterState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Finds pods that wait because their claims stay allocated on a node where the devices do not lie near their CPUs. kube-scheduler gives a
 * claim back in its next attempt, but only if it has refused another node for it. An event on the pod says so once, unless the claim is
 * given back here. For one thread.
 */
final class KeptClaims {

    /** After how long kept claims are reported or given back: longer than the pause between two attempts of kube-scheduler. */
    static final Duration KEPT_AFTER = Duration.ofSeconds(30);

    private static final Logger log = LoggerFactory.getLogger(KeptClaims.class);

    private final ClusterState cluster;
    private final BatchEvaluator evaluator;
    private final PodEvents events;
    private final ClaimMetrics metrics;
    private final Optional<ClaimWriter> writer;
    private final InstantSource clock;

    /** What is known of pods that keep claims, by the pod's uid. */
    private Map<String, Kept> known = new HashMap<>();

    private record Kept(Instant since, boolean reported) {}

    /** @param writer absent: no claim is given back */
    KeptClaims(
            ClusterState cluster,
            BatchEvaluator evaluator,
            PodEvents events,
            ClaimMetrics metrics,
            Optional<ClaimWriter> writer,
            InstantSource clock) {
        this.cluster = cluster;
        this.evaluator = evaluator;
        this.events = events;
        this.metrics = metrics;
        this.writer = writer;
        this.clock = clock;
    }

    /** Call it every ten seconds or so on the replica that leads. */
    void check() {
        Map<String, Kept> found = new HashMap<>();
        for (PodFacts pod : cluster.pods().all()) {
            if (!pod.claims().isEmpty() && pod.node().isEmpty() && !pod.terminating() && pod.refusedForZones()) {
                List<ResourceClaim> allocated = cluster.claims().claimsOf(pod).stream()
                        .filter(claim -> claim.allocation().isPresent())
                        .toList();
                refusal(pod, allocated).ifPresent(why -> found.put(pod.uid().orElse(""), checked(pod, allocated, why)));
            }
        }
        known = found;
    }

    /** Why the only node that can use the claims refuses the pod. */
    private Optional<Refused> refusal(PodFacts pod, List<ResourceClaim> allocated) {
        return allocated.stream()
                .flatMap(claim -> claim.allocation().flatMap(ClaimAllocation::node).stream())
                .findFirst()
                .flatMap(node -> evaluator.refusal(node, pod))
                .filter(refused -> refused.reason().isAboutClaims());
    }

    private Kept checked(PodFacts pod, List<ResourceClaim> allocated, Refused why) {
        Instant now = clock.instant();
        Kept before = known.getOrDefault(pod.uid().orElse(""), new Kept(now, false));
        if (before.reported() || now.isBefore(before.since().plus(KEPT_AFTER))) {
            return before;
        }
        boolean shared =
                allocated.stream().anyMatch(claim -> !claim.reservedFor().isEmpty());
        if (writer.isPresent() && !shared) {
            allocated.forEach(claim -> giveBack(writer.get(), claim, pod));
            return new Kept(now, false);
        }
        events.warn(pod, "ClaimKept", sentence(pod, allocated, why, shared));
        return new Kept(before.since(), true);
    }

    private static String sentence(PodFacts pod, List<ResourceClaim> allocated, Refused why, boolean shared) {
        return "the pod can use only the node on which claim %s is allocated, and it does not fit there: %s; %s"
                .formatted(
                        allocated.stream().map(ResourceClaim::name).collect(Collectors.joining(", ")),
                        PodNames.of(pod.namespace()).text(why.message()),
                        shared
                                ? "other pods use the claim"
                                : "kube-scheduler gives a claim back only after it has refused another node for it; "
                                        + "delete the pod and the claim, or see --give-back-claims");
    }

    private void giveBack(ClaimWriter claims, ResourceClaim claim, PodFacts pod) {
        try {
            if (claims.giveBack(claim)) {
                metrics.givenBack();
                log.info("event=claim.given_back claim={} pod={}", claim.key(), pod.key());
            }
        } catch (IOException e) {
            log.warn(
                    "event=claim.give_back_failed claim={} pod={} error=\"{}\"",
                    claim.key(),
                    pod.key(),
                    e.getMessage());
        }
    }
}
