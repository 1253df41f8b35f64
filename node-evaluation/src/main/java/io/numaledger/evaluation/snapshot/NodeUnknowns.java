package io.numaledger.evaluation.snapshot;

import io.numaledger.pod.PodRequest;

import java.util.List;
import java.util.Optional;

/**
 * What is not known of a node for now, and what happens meanwhile to pods that depend on it.
 *
 * @param withoutModel what happens to pods that need alignment, where there is no kubelet model
 * @param parts what the kubelet model cannot tell; empty on most nodes
 */
public record NodeUnknowns(UnknownNodeAction withoutModel, List<UnknownPart> parts) {

    public static final NodeUnknowns NONE = new NodeUnknowns(UnknownNodeAction.ADMIT, List.of());

    public NodeUnknowns {
        parts = List.copyOf(parts);
    }

    /** The first of the parts that a pod depends on. */
    public Optional<UnknownPart> about(PodRequest pod) {
        return parts.isEmpty()
                ? Optional.empty()
                : parts.stream().filter(part -> part.concerns(pod)).findFirst();
    }

    /** Pods wait for a kubelet that restarts. */
    public boolean isRestarting() {
        return parts.stream().anyMatch(UnknownPart::isRestart);
    }
}
