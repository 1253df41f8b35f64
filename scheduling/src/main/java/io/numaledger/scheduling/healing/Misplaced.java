package io.numaledger.scheduling.healing;

import io.numaledger.evaluation.alignment.AlignmentDemand;
import io.numaledger.evaluation.claim.ClaimAlignment.Misaligned;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.spread.SpreadCheck;
import io.numaledger.scheduling.dra.PodDevices;
import io.numaledger.scheduling.state.ClusterState;

import java.util.Optional;

/**
 * A running pod that missed what it demanded of its placement.
 *
 * @param sentence where it runs
 */
public record Misplaced(PodFacts pod, Demand demand, String sentence) {

    /** What a pod can demand. */
    public enum Demand {
        /** {@code numaledger.io/claim-alignment: required}. */
        CLAIM_ALIGNMENT,
        /** {@code kai.scheduler/max-numa-spread}. */
        MAX_NUMA_SPREAD
    }

    /** How the claimed devices of a pod that runs lie apart; absent: they do not, or it is not known yet. */
    public static Optional<Misaligned> misaligned(PodFacts pod, ClusterState cluster) {
        return pod.claims().isEmpty() || !pod.running() || pod.terminating()
                ? Optional.empty()
                : pod.node()
                        .flatMap(cluster::snapshot)
                        .map(node -> PodDevices.of(node, pod, cluster.claims()).alignment())
                        .filter(Misaligned.class::isInstance)
                        .map(Misaligned.class::cast);
    }

    /** The misplaced pod; absent: the pod demands nothing, has what it demands, or its demand or its placement is not known. */
    public static Optional<Misplaced> of(PodFacts pod, ClusterState cluster) {
        if (!pod.running() || pod.terminating()) {
            return Optional.empty();
        }
        try {
            if (AlignmentDemand.of(pod).equals(Optional.of(AlignmentDemand.REQUIRED))) {
                Optional<Misaligned> missed = misaligned(pod, cluster).filter(Misaligned::isFromCpusOrMemory);
                if (missed.isPresent()) {
                    return Optional.of(new Misplaced(
                            pod, Demand.CLAIM_ALIGNMENT, missed.get().sentence()));
                }
            }
            return SpreadCheck.exceeded(pod).map(sentence -> new Misplaced(pod, Demand.MAX_NUMA_SPREAD, sentence));
        } catch (IllegalArgumentException unreadable) {
            return Optional.empty(); // an event on the pod says so
        }
    }
}
