package io.numaledger.evaluation.fit;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.ResourceFit;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/**
 * What a pod needs and why it is refused, without anything that changes while the reason stays the same: free amounts, zones by name,
 * and holders. {@link RefusalMessages} and {@link RefusalExplanation} have these.
 */
final class RefusalSummary {

    private RefusalSummary() {}

    static String of(Refusal refusal) {
        return of(RefusalReason.of(refusal.reason()), RefusalMessages.decisive(refusal.resources()));
    }

    /** Such as {@code this request would make the kubelet panic}. */
    static String of(Admission.KubeletFailure failure) {
        return switch (failure.kind()) {
            case PANIC -> "this request would make the kubelet panic";
            case HANG -> "this request would make the kubelet hang";
        };
    }

    /** @param decisive one resource that is short, or one or more that are not */
    static String of(RefusalReason reason, List<ResourceFit> decisive) {
        if (decisive.isEmpty()) {
            return "the kubelet would refuse the pod";
        }
        ResourceFit first = decisive.get(0);
        if (first.isShort()) {
            return "%s take %s".formatted(cannot(first.widthWanted()), amount(first));
        }
        String amounts = decisive.stream()
                .sorted(Comparator.comparing(ResourceFit::resource).thenComparing(ResourceFit::need))
                .map(RefusalSummary::amount)
                .collect(Collectors.joining(", "));
        return switch (reason) {
            case TOPOLOGY_AFFINITY_ERROR ->
                decisive.size() == 1
                        ? "the Topology Manager policy does not allow %s%s"
                                .formatted(amounts, RefusalMessages.width(first))
                        : "no set of zones satisfies the Topology Manager policy for all of " + amounts;
            case SMT_ALIGNMENT_ERROR -> "the requested CPUs must fill whole physical cores: " + amounts;
            case EMPTY_POD_SHARED_POOL_ERROR -> "the pod-level resources leave too little for some containers";
            default -> "the kubelet cannot allocate %s: the free amounts cannot be combined".formatted(amounts);
        };
    }

    private static String cannot(int zones) {
        return switch (zones) {
            case 0 -> "the node cannot";
            case 1 -> "no zone can";
            default -> "no %d zones can".formatted(zones);
        };
    }

    private static String amount(ResourceFit fit) {
        return "%s %s".formatted(RefusalMessages.amount(fit), fit.resource());
    }
}
