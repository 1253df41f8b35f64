package io.numaledger.evaluation.spread;

import io.numaledger.annotation.Annotations;
import io.numaledger.evaluation.facts.PlacementRecord;
import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.evaluation.snapshot.DryRun.Placed;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.kubelet.device.UndeterminedChoice;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/** Compares placements with a maximum NUMA spread. */
public final class SpreadCheck {

    private SpreadCheck() {}

    /**
     * Over how many zones a pod was observed that allows fewer, as a sentence; absent: it keeps to its maximum, has none, or was not observed.
     *
     * @throws IllegalArgumentException as a sentence, for an invalid annotation or record
     */
    public static Optional<String> exceeded(PodFacts pod) {
        Optional<PlacementRecord<Placement>> observed = pod.records().observed();
        if (observed.isEmpty() || pod.annotation(Annotations.MAX_NUMA_SPREAD).isEmpty()) {
            return Optional.empty();
        }
        MaxNumaSpread max = MaxNumaSpread.of(pod).orElseThrow();
        int spread = spread(max, observed.get().require());
        return spread > max.zones()
                ? Optional.of("the pod allows at most %s and runs on %d".formatted(max.zonesText(), spread))
                : Optional.empty();
    }

    /** The number of zones over which the covered resources of a placement spread. */
    public static int spread(MaxNumaSpread max, Placement placement) {
        return zones(max, placement).size();
    }

    private static SortedSet<Integer> zones(MaxNumaSpread max, Placement placement) {
        SortedSet<Integer> zones = new TreeSet<>();
        placement.zones().forEach((id, amounts) -> {
            if (amounts.byResource().keySet().stream().anyMatch(max::covers)) {
                zones.add(id);
            }
        });
        return zones;
    }

    /**
     * Why a pod that the kubelet admits could exceed its maximum; empty if it cannot, whichever devices the kubelet chooses.
     *
     * @param before the node's state without the pod
     */
    public static Optional<String> violation(MaxNumaSpread max, KubeletModel kubelet, NodeState before, Placed placed) {
        int spread = spread(max, placed.placement());
        if (spread > max.zones()) {
            return Optional.of("the pod allows at most %s; on this node it would spread over %d"
                    .formatted(max.zonesText(), spread));
        }
        if (placed.admitted().undetermined().isEmpty()) {
            return Optional.empty();
        }
        int largest = largestSpread(max, kubelet, before, placed);
        return largest > max.zones()
                ? Optional.of(
                        "the pod allows at most %s; the kubelet chooses among equal devices, and may spread the pod over %d"
                                .formatted(max.zonesText(), largest))
                : Optional.empty();
    }

    private static int largestSpread(MaxNumaSpread max, KubeletModel kubelet, NodeState before, Placed placed) {
        SortedSet<Integer> zones = zones(max, placed.placement());
        DeviceAllocator devices = kubelet.devices().orElseThrow();
        for (UndeterminedChoice choice : placed.admitted().undetermined()) {
            if (max.covers(choice.resource())) {
                devices.countsByMask(choice.resource(), devices.available(choice.resource(), before.devices()))
                        .keySet()
                        .forEach(bits -> new AffinityMask(bits).ids().forEach(id -> zones.add(id)));
            }
        }
        return zones.size();
    }
}
