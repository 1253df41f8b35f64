package io.numaledger.scheduling.healing;

import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.alignment.ClaimNeeds;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.scheduling.dra.ClusterClaims;

import java.util.List;
import java.util.Optional;

/**
 * The claims of a cluster as a pod finds them that is made for an evicted one, under its name: a claim that only that one used is allocated
 * anew, be it the same or another of the same template.
 */
record ClaimsOfNext(ClusterClaims claims, PodFacts evicted) implements ClaimLookup {

    @Override
    public List<ResourceClaim> claimsOf(PodFacts pod) {
        List<ResourceClaim> known = claims.claimsOf(pod);
        return pod.node().isPresent() ? known : known.stream().map(this::next).toList();
    }

    private ResourceClaim next(ResourceClaim claim) {
        boolean isShared =
                claim.reservedFor().stream().anyMatch(user -> !evicted.uid().equals(Optional.of(user)));
        return isShared ? claim : claim.withoutAllocation();
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
