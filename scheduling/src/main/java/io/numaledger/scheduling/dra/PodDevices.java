package io.numaledger.scheduling.dra;

import io.numaledger.evaluation.claim.ClaimAlignment;
import io.numaledger.evaluation.claim.ClaimAlignment.Unknown;
import io.numaledger.evaluation.claim.ClaimedDevice;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.evaluation.snapshot.PlacementSource;
import io.numaledger.evaluation.snapshot.PodHolding;
import io.numaledger.placement.Placement;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** The devices that the claims of a pod on a node have, and whether they lie on the NUMA nodes of its CPUs and memory. */
public record PodDevices(PodFacts pod, List<ClaimedDevice> devices, ClaimAlignment alignment) {

    public PodDevices {
        devices = List.copyOf(devices);
    }

    /**
     * The devices of all pods that have claims, in the order of the pods' keys.
     *
     * @param pods those of the node; ended ones hold nothing
     */
    public static List<PodDevices> on(NodeSnapshot node, Collection<PodFacts> pods, ClusterClaims claims) {
        return pods.stream()
                .filter(pod -> !pod.claims().isEmpty() && !pod.ended())
                .sorted(Comparator.comparing(PodFacts::key))
                .map(pod -> of(node, pod, claims))
                .toList();
    }

    /** The devices of one pod, which has claims. */
    public static PodDevices of(NodeSnapshot node, PodFacts pod, ClusterClaims claims) {
        List<ClaimedDevice> devices = claims.devicesOf(pod);
        Optional<String> missing = pod.claims().names().stream()
                .filter(name -> claims.claim(pod.namespace(), name).isEmpty())
                .findFirst();
        return new PodDevices(
                pod,
                devices,
                missing.<ClaimAlignment>map(name -> new Unknown("the ResourceClaim %s does not exist".formatted(name)))
                        .orElseGet(() -> alignment(node, pod, devices)));
    }

    private static ClaimAlignment alignment(NodeSnapshot node, PodFacts pod, List<ClaimedDevice> devices) {
        if (devices.isEmpty()) {
            return new Unknown("no device is allocated to its claims");
        }
        Optional<PodHolding> holding = node.pods().stream()
                .filter(held -> held.key().equals(pod.key()))
                .findFirst();
        return pod.running() && holding.map(PodDevices::isObserved).orElse(true)
                ? ClaimAlignment.of(devices, holding.map(PodHolding::placement).orElse(Placement.EMPTY))
                : new Unknown("its CPUs and memory have not been observed yet");
    }

    private static boolean isObserved(PodHolding held) {
        return held.source() == PlacementSource.OBSERVED_EXACTLY
                || held.source() == PlacementSource.OBSERVED
                || held.placement().zones().isEmpty();
    }
}
