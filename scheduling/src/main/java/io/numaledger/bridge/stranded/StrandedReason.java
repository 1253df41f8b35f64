package io.numaledger.bridge.stranded;

import io.numaledger.bridge.evaluation.Evaluation.Refused;
import io.numaledger.bridge.evaluation.RefusalReason;
import io.numaledger.bridge.evaluation.TentativeNode;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.resource.ResourceKind;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Why a node takes no further pod of a size by its zones although it has room as a whole. */
public enum StrandedReason {
    /** Too few CPUs where the rest is free. */
    CPU,
    /** Too little memory, or huge pages. */
    MEMORY,
    /** Too few devices. */
    DEVICE,
    /** The GPUs that are free lack links. */
    LINKS,
    /** The kubelet would refuse the pod on the empty node, too, or for several resources together. */
    POLICY,
    /** The zones are not known for now. */
    UNKNOWN;

    private static final Set<RefusalReason> LINK_REASONS =
            EnumSet.of(RefusalReason.GPU_LINKS_MISSING, RefusalReason.GPU_LINKS_INVALID);
    private static final Set<RefusalReason> UNKNOWN_REASONS = EnumSet.of(
            RefusalReason.ZONES_PENDING,
            RefusalReason.ZONES_UNKNOWN,
            RefusalReason.KUBELET_RESTARTING,
            RefusalReason.KUBELET_FAILURE);

    /** @param node has room for the pod as a whole, and does not take it */
    static StrandedReason of(TentativeNode node, PodFacts pod) {
        Optional<Refused> refusal = node.refusal(pod);
        if (refusal.isEmpty() || UNKNOWN_REASONS.contains(refusal.get().reason())) {
            return UNKNOWN;
        }
        Refused refused = refusal.get();
        if (LINK_REASONS.contains(refused.reason())) {
            return LINKS;
        }
        return refused.unresolvable()
                ? POLICY
                : refused.shortResource()
                        .map(resource -> of(ResourceKind.of(resource)))
                        .orElseGet(() -> conflict(node, pod));
    }

    /** Each resource is free, but not on the same zones: the one without which the pod would fit. */
    private static StrandedReason conflict(TentativeNode node, PodFacts pod) {
        return Stream.of(ResourceKind.CPU, ResourceKind.MEMORY, ResourceKind.DEVICE)
                .filter(kind -> node.admitsByZones(without(pod, kind)))
                .findFirst()
                .map(StrandedReason::of)
                .orElse(POLICY);
    }

    private static PodFacts without(PodFacts pod, ResourceKind kind) {
        return pod.requesting(pod.request()
                .without(pod.request().inAllocationOrder().stream()
                        .map(ContainerRequest::resources)
                        .flatMap(resources -> resources.requests().keySet().stream())
                        .filter(resource -> ResourceKind.of(resource) == kind)
                        .collect(Collectors.toSet())));
    }

    private static StrandedReason of(ResourceKind kind) {
        return switch (kind) {
            case CPU -> CPU;
            case MEMORY -> MEMORY;
            case DEVICE -> DEVICE;
            case STORAGE -> POLICY;
        };
    }

    /** In small letters, as in metrics and the API. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
