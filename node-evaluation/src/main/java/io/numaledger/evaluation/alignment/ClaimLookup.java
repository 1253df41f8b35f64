package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.NodeDevices;
import io.numaledger.evaluation.claim.ResourceClaim;
import io.numaledger.evaluation.facts.NodeFacts;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.List;

/** Port: the claims and devices of a cluster, as they are now. */
public interface ClaimLookup {

    /** The claims of a pod that are there. */
    List<ResourceClaim> claimsOf(PodFacts pod);

    /** Whether a pod has claims, or on some node needs one for its extended resources. */
    boolean concern(PodFacts pod);

    /**
     * What its claims need, and its extended resources that no device plugin of this node has.
     *
     * @param budget the pod's part
     */
    ClaimNeeds needs(PodFacts pod, NodeFacts node, EvaluationBudget.Part budget);

    /** The devices of a node; empty where it has none. */
    NodeDevices devices(String node);

    /** The devices that several nodes can use. */
    NodeDevices devicesOfNoNode();
}
