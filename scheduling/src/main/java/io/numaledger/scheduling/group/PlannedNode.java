package io.numaledger.scheduling.group;

import io.numaledger.evaluation.facts.PodFacts;

import java.util.Optional;

/** The node to which the plan of a gated group has tied a pod. */
public final class PlannedNode {

    private PlannedNode() {}

    /**
     * The node as the plan has written it. Everybody who can write a pod can write the annotation: it counts only for a pod that is
     * released, and that can run nowhere else.
     */
    public static Optional<String> of(PodFacts pod) {
        return pod.annotation(PodFacts.PLANNED_NODE)
                .filter(node ->
                        pod.group().gates().isEmpty() && pod.constraints().requiresNode(node));
    }
}
