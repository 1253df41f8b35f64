package io.numaledger.bridge.healing;

import io.numaledger.bridge.claim.ClaimAlignment;
import io.numaledger.bridge.claim.ClaimAlignment.Misaligned;
import io.numaledger.bridge.claim.ClaimedDevice;
import io.numaledger.bridge.objects.PodFacts;
import io.numaledger.bridge.snapshot.PlacementSource;
import io.numaledger.bridge.snapshot.PodHolding;
import io.numaledger.bridge.state.ClusterState;
import io.numaledger.placement.Placement;

import java.util.List;
import java.util.Optional;

/** Compares the claimed devices of running pods with the placements that agents have observed. All containers of a pod count together. */
public final class ObservedClaims {

    private ObservedClaims() {}

    /** How a pod that runs is misaligned; absent: it is not, or it is not known yet. */
    public static Optional<Misaligned> misaligned(PodFacts pod, ClusterState cluster) {
        if (pod.claims().isEmpty() || !pod.running() || pod.terminating()) {
            return Optional.empty();
        }
        List<ClaimedDevice> devices = cluster.claims().devicesOf(pod);
        return devices.isEmpty()
                ? Optional.empty()
                : placement(pod, cluster)
                        .map(observed -> ClaimAlignment.of(devices, observed))
                        .filter(Misaligned.class::isInstance)
                        .map(Misaligned.class::cast);
    }

    /** Absent until the pod's agent has reported it; empty for a pod that holds nothing of NUMA nodes. */
    private static Optional<Placement> placement(PodFacts pod, ClusterState cluster) {
        Optional<PodHolding> held = pod.node()
                .flatMap(cluster::snapshot)
                .flatMap(node -> node.pods().stream()
                        .filter(each -> each.key().equals(pod.key()))
                        .findFirst());
        return held.isEmpty()
                ? Optional.of(Placement.EMPTY)
                : held.filter(ObservedClaims::isCertain).map(PodHolding::placement);
    }

    private static boolean isCertain(PodHolding held) {
        return held.source() == PlacementSource.OBSERVED_EXACTLY
                || held.source() == PlacementSource.OBSERVED
                || held.placement().zones().isEmpty();
    }
}
