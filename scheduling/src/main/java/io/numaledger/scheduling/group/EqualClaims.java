package io.numaledger.scheduling.group;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.alignment.ClaimLookup;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Equal pods of a group as far as their claims decide: each may take the place of another. */
final class EqualClaims {

    private final ClaimLookup claims;

    /** Claim → how many of the pods have it. */
    private final Map<String, Long> pods;

    EqualClaims(ClaimLookup claims, List<PodFacts> pods) {
        this.claims = claims;
        this.pods = pods.stream()
                .flatMap(pod -> claims.claimsOf(pod).stream())
                .collect(Collectors.groupingBy(ResourceClaim::key, Collectors.counting()));
    }

    /**
     * Equal for pods whose claims ask for the same, and are neither allocated nor those of several pods.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid demand
     */
    List<Object> key(PodFacts pod) {
        return !claims.concern(pod)
                ? List.of()
                : List.of(
                        AlignmentDemand.of(pod),
                        pod.claims().byName().keySet(),
                        claims.claimsOf(pod).stream().map(this::key).toList());
    }

    private Object key(ResourceClaim claim) {
        return claim.allocation().isPresent() || pods.getOrDefault(claim.key(), 0L) > 1
                ? claim.key()
                : List.of(claim.requests(), claim.constraints());
    }
}
