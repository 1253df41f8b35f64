package io.numaledger.scheduling.stranded;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.fit.Evaluation.Refused;
import io.numaledger.evaluation.fit.FilledNode;
import io.numaledger.evaluation.fit.TentativeNode;
import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.admission.ResourceFit;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.resource.ResourceKind;

import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;

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

    static final List<ResourceKind> CONFLICTING = List.of(ResourceKind.CPU, ResourceKind.MEMORY, ResourceKind.DEVICE);

    /** @param node has room for the pod as a whole, and does not take it */
    static StrandedReason of(TentativeNode node, PodFacts pod) {
        Optional<Refused> refusal = node.evaluate(pod, "").refused();
        if (refusal.isEmpty() || refusal.get().reason().isUnknown()) {
            return UNKNOWN;
        }
        Refused refused = refusal.get();
        if (refused.reason().isAboutLinks()) {
            return LINKS;
        }
        return refused.unresolvable()
                ? POLICY
                : refused.shortResource()
                        .map(StrandedReason::ofShort)
                        .orElseGet(() -> conflict(kind -> node.admitsByZones(without(pod, kind))));
    }

    /** The reason where the kubelet alone decides, and would admit the pod on the empty node. */
    static StrandedReason of(FilledNode node, PodFacts pod) {
        return node.admission(pod.request()) instanceof Admission.Refused refused
                ? refused.refusal().resources().stream()
                        .filter(ResourceFit::isShort)
                        .map(fit -> ofShort(fit.resource()))
                        .findFirst()
                        .orElseGet(() -> conflict(kind ->
                                node.admission(without(pod, kind).request()).isAdmitted()))
                : UNKNOWN;
    }

    private static StrandedReason conflict(Predicate<ResourceKind> admitsWithout) {
        return conflictIfKnown(kind -> Optional.of(admitsWithout.test(kind))).orElseThrow();
    }

    /**
     * Each resource is free, but not on the same zones: the one without which the pod would fit.
     *
     * @param admitsWithout whether the node takes the pod without resources of a kind; absent: not known
     */
    static Optional<StrandedReason> conflictIfKnown(Function<ResourceKind, Optional<Boolean>> admitsWithout) {
        for (ResourceKind kind : CONFLICTING) {
            Optional<Boolean> admits = admitsWithout.apply(kind);
            if (admits.isEmpty()) {
                return Optional.empty();
            }
            if (admits.get()) {
                return Optional.of(of(kind));
            }
        }
        return Optional.of(POLICY);
    }

    static PodFacts without(PodFacts pod, ResourceKind kind) {
        return pod.requesting(pod.request()
                .without(pod.request().inAllocationOrder().stream()
                        .map(ContainerRequest::resources)
                        .flatMap(resources -> resources.requests().keySet().stream())
                        .filter(resource -> ResourceKind.of(resource) == kind)
                        .collect(Collectors.toSet())));
    }

    static StrandedReason ofShort(String resource) {
        return of(ResourceKind.of(resource));
    }

    private static StrandedReason of(ResourceKind kind) {
        return switch (kind) {
            case CPU -> CPU;
            case MEMORY -> MEMORY;
            case DEVICE -> DEVICE;
            case STORAGE -> POLICY;
        };
    }

    /** The reason in small letters, as in metrics and the API. */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
