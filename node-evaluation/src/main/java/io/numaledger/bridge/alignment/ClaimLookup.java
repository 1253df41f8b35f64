package io.numaledger.bridge.alignment;

import io.numaledger.bridge.claim.NodeDevices;
import io.numaledger.bridge.claim.ResourceClaim;
import io.numaledger.bridge.objects.PodFacts;

import java.util.List;

/** Port: the claims and devices of a cluster, as they are now. */
public interface ClaimLookup {

    /** The claims of a pod that are there. */
    List<ResourceClaim> claimsOf(PodFacts pod);

    /** What they need. */
    ClaimNeeds needs(PodFacts pod);

    NodeDevices devices(String node);

    /** The devices that several nodes can use. */
    NodeDevices devicesOfNoNode();
}
