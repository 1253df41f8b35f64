package io.numaledger.evaluation.alignment;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.NamespaceDefaults;
import io.numaledger.evaluation.facts.PodFacts;

import java.util.List;
import java.util.Optional;

/** What a pod demands of the devices of its claims: that they lie on the NUMA nodes of its CPUs and memory. */
public enum AlignmentDemand {
    /** Nodes where they cannot are refused. */
    REQUIRED,
    /** Nodes where they can are better. */
    PREFERRED;

    /** What namespaces ask for their pods with claims, and with extended resources, for which there may be claims. */
    public static final NamespaceDefaults.Rule DEFAULTS = new NamespaceDefaults.Rule(
            List.of(Annotations.CLAIM_ALIGNMENT),
            pod -> !pod.claims().isEmpty()
                    || pod.request().inAllocationOrder().stream()
                            .flatMap(container -> container.resources().requests().keySet().stream())
                            .anyMatch(resource -> resource.contains("/")));

    private static final int SHOWN = 40;

    /**
     * Reads the pod's annotation; absent: it demands nothing.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid value
     */
    public static Optional<AlignmentDemand> of(PodFacts pod) {
        String text = pod.annotations().get(Annotations.CLAIM_ALIGNMENT);
        return text == null
                ? Optional.empty()
                : switch (text.strip()) {
                    case "required" -> Optional.of(REQUIRED);
                    case "preferred" -> Optional.of(PREFERRED);
                    case "none" -> Optional.empty();
                    default ->
                        throw new IllegalArgumentException(
                                "invalid annotation: %s='%s'; use required, preferred or none, or remove it"
                                        .formatted(
                                                Annotations.CLAIM_ALIGNMENT,
                                                text.length() > SHOWN ? text.substring(0, SHOWN) + "…" : text));
                };
    }
}
