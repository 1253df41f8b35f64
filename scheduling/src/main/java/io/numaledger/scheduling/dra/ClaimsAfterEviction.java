package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.alignment.ClaimNeeds;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.List;
import java.util.function.Predicate;

/**
 * The claims of a cluster as pods find them that are made for evicted ones, under their names: a claim that only evicted pods used is allocated
 * anew, be it the same or another of the same template.
 *
 * @param isEvicted whether a pod with this UID is evicted
 */
public record ClaimsAfterEviction(ClusterClaims claims, Predicate<String> isEvicted) implements ClaimLookup {

    @Override
    public List<ResourceClaim> claimsOf(PodFacts pod) {
        List<ResourceClaim> known = claims.claimsOf(pod);
        return pod.node().isPresent() ? known : known.stream().map(this::next).toList();
    }

    private ResourceClaim next(ResourceClaim claim) {
        return claim.reservedFor().stream().allMatch(isEvicted) ? claim.withoutAllocation() : claim;
    }

    @Override
    public boolean concern(PodFacts pod) {
        return claims.concern(pod);
    }

    @Override
    public ClaimNeeds needs(PodFacts pod, NodeFacts node, EvaluationBudget.Part budget) {
        return pod.node().isPresent() ? claims.needs(pod, node, budget) : claims.needs(pod, claimsOf(pod), budget);
    }

    @Override
    public NodeDevices devices(String node) {
        return claims.devices(node);
    }

    @Override
    public NodeDevices devicesOfNoNode() {
        return claims.devicesOfNoNode();
    }
}
