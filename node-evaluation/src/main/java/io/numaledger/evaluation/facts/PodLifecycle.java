package io.numaledger.evaluation.facts;

import java.time.Instant;
import java.util.Optional;

/**
 * How far a pod has come.
 *
 * @param node where it is bound; absent: not yet
 * @param reason of its status, such as {@code TopologyAffinityError}
 * @param message why it has failed, in one short line; absent for a pod that has not
 * @param terminating it has a deletion time; it holds its resources until it has ended
 * @param startedAt the start time of its status, when its kubelet admitted it; before that, its creation time; absent for a
 *     manifest that was never created
 * @param agent whether it is an agent
 * @param claims its ResourceClaims, as far as they are made
 */
public record PodLifecycle(
        Optional<String> node,
        PodPhase phase,
        Optional<String> reason,
        Optional<String> message,
        boolean terminating,
        Optional<Instant> startedAt,
        AgentPod agent,
        PodClaims claims) {

    PodLifecycle onNode(String nodeName) {
        return new PodLifecycle(Optional.of(nodeName), phase, reason, message, terminating, startedAt, agent, claims);
    }

    PodLifecycle ending() {
        return new PodLifecycle(node, phase, reason, message, true, startedAt, agent, claims);
    }

    /** The lifecycle of a pod without a node that is as old as this one. */
    PodLifecycle pending() {
        return new PodLifecycle(
                Optional.empty(),
                PodPhase.PENDING,
                Optional.empty(),
                Optional.empty(),
                false,
                startedAt,
                AgentPod.NONE,
                claims);
    }

    /** Whether a pod is an agent. */
    public enum AgentPod {
        NONE,
        /** The agent starts, or has ended, or does not answer its probe. */
        NOT_READY,
        READY
    }
}
