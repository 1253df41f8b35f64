package io.numaledger.evaluation.claim;

import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

import static io.numaledger.topology.Sorted.sortedSet;

/**
 * What pods request of devices, and what was allocated for it (ResourceClaim, resource.k8s.io/v1).
 *
 * @param reservedFor uids of the pods that may use it
 * @param problems what of it cannot be read, as sentences; a bounded number
 */
public record ResourceClaim(
        String namespace,
        String name,
        String uid,
        List<DeviceRequest> requests,
        List<ClaimConstraint> constraints,
        Optional<ClaimAllocation> allocation,
        SortedSet<String> reservedFor,
        List<String> problems) {

    public ResourceClaim {
        requests = List.copyOf(requests);
        constraints = List.copyOf(constraints);
        reservedFor = sortedSet(reservedFor);
        problems = List.copyOf(problems);
    }

    /** {@code namespace/name}. */
    public String key() {
        return namespace + "/" + name;
    }

    /** The claim's allocated devices; none before it is allocated. */
    public List<ClaimAllocation.Result> devices() {
        return allocation.map(ClaimAllocation::devices).orElse(List.of());
    }

    /** Another claim of the same kind. */
    public ResourceClaim named(String other) {
        return new ResourceClaim(namespace, other, uid, requests, constraints, allocation, reservedFor, problems);
    }

    /** The claim before it was allocated. */
    public ResourceClaim withoutAllocation() {
        return new ResourceClaim(
                namespace, name, uid, requests, constraints, Optional.empty(), Collections.emptySortedSet(), problems);
    }
}
