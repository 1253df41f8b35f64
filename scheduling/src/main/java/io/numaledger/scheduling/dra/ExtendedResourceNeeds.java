package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.alignment.ClaimNeeds;
import io.numaledger.evaluation.alignment.ExtendedResourceClaim;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What the extended resources of a pod need of the devices of each node: for those that its device plugins lack, kube-scheduler makes a claim.
 * Thread-safe.
 */
public final class ExtendedResourceNeeds {

    private final ClusterClaims claims;
    private final PodFacts pod;
    private final SortedSet<String> served;
    private final Map<SortedSet<String>, ClaimNeeds> byDraBacked = new ConcurrentHashMap<>();

    /**
     * The needs of one pod.
     *
     * @param known its claims: one that has the claim for its extended resources needs no other
     */
    public ExtendedResourceNeeds(ClusterClaims claims, PodFacts pod, List<ResourceClaim> known) {
        this.claims = claims;
        this.pod = pod;
        this.served = known.stream()
                        .anyMatch(claim -> pod.claims().extendedResources().equals(Optional.of(claim.name())))
                ? Collections.emptySortedSet()
                : ExtendedResourceClaim.requested(pod.request(), claims.served());
    }

    /** Whether there is no such claim, on whatever node. */
    public boolean isEmpty() {
        return served.isEmpty();
    }

    /** What these needs are on a node, together with the needs of the pod's other claims, which come first. */
    public ClaimNeeds after(ClaimNeeds others, NodeFacts node) {
        SortedSet<String> draBacked = new TreeSet<>(served);
        draBacked.retainAll(node.constraints().draBacked());
        return draBacked.isEmpty()
                ? others
                : others.plus(byDraBacked.computeIfAbsent(draBacked, any -> needs(any, others.budget())));
    }

    private ClaimNeeds needs(SortedSet<String> draBacked, EvaluationBudget.Part budget) {
        return ClaimNeeds.of(
                List.of(ExtendedResourceClaim.of(pod.namespace(), pod.request(), draBacked, claims::classOf)),
                true,
                claims::deviceClass,
                budget);
    }
}
