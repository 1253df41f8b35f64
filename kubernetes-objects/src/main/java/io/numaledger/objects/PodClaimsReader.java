package io.numaledger.objects;

import com.fasterxml.jackson.databind.JsonNode;
import io.numaledger.evaluation.facts.PodClaims;
import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Reads which ResourceClaims a pod has: the spec names claims and templates, the status those that were made of templates. */
final class PodClaimsReader {

    /** A pod with more of them is read without the rest: its owner writes the list. */
    private static final int MAX_CLAIMS = 256;

    private PodClaimsReader() {}

    static PodClaims of(PodObject.Spec spec, PodObject.Status status) {
        Optional<String> extended = Optional.ofNullable(status.extendedResourceClaimStatus())
                .map(claim -> claim.path("resourceClaimName").asText())
                .filter(name -> !name.isEmpty());
        Map<String, String> byName = byName(spec.resourceClaims(), made(status.resourceClaimStatuses()));
        return byName.isEmpty() && extended.isEmpty() ? PodClaims.NONE : new PodClaims(byName, extended);
    }

    /**
     * The extended resources that the claim serves on the pod's node: the kubelet skips them (lifecycle/predicate.go, removeMissingExtendedResources,
     * and cm/devicemanager/manager.go, isDRAExtendedResource).
     */
    static Set<String> draBacked(PodObject.Status status) {
        Set<String> resources = new HashSet<>();
        Optional.ofNullable(status.extendedResourceClaimStatus())
                .ifPresent(claim -> claim.path("requestMappings")
                        .forEach(mapping ->
                                resources.add(mapping.path("resourceName").asText())));
        return resources;
    }

    /** @param made by name within the pod; an empty name: the pod needs none */
    private static Map<String, String> byName(@Nullable JsonNode claims, Map<String, String> made) {
        Map<String, String> byName = new LinkedHashMap<>();
        if (claims == null) {
            return byName;
        }
        for (JsonNode claim : claims) {
            String name = claim.path("name").asText();
            String given = claim.path("resourceClaimName").asText();
            boolean isNeeded = !made.getOrDefault(name, "any").isEmpty();
            if (isNeeded && byName.size() < MAX_CLAIMS) {
                byName.put(name, given.isEmpty() ? made.getOrDefault(name, "") : given);
            }
        }
        return byName;
    }

    private static Map<String, String> made(@Nullable JsonNode statuses) {
        Map<String, String> made = new HashMap<>();
        if (statuses != null) {
            statuses.forEach(each -> made.put(
                    each.path("name").asText(), each.path("resourceClaimName").asText()));
        }
        return made;
    }
}
