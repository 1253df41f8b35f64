package io.numaledger.bridge.span;

import io.numaledger.bridge.node.Trial;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.Placement;
import io.numaledger.topology.AffinityMask;

import java.util.Optional;
import java.util.TreeSet;

/** Holds a placement against a ceiling. */
public final class SpanCheck {

    private SpanCheck() {}

    /** Over how many zones the covered resources of a placement spread. */
    public static int span(SpanCeiling ceiling, Placement placement) {
        return (int) placement.zones().values().stream()
                .filter(amounts -> amounts.byResource().keySet().stream().anyMatch(ceiling::covers))
                .count();
    }

    /** Why a pod that the kubelet admits would break the ceiling; empty: it cannot, whatever the kubelet draws. */
    public static Optional<String> violation(SpanCeiling ceiling, KubeletModel kubelet, NodeState before, Trial trial) {
        int span = span(ceiling, trial.placement());
        if (span > ceiling.zones()) {
            return Optional.of("pod allows at most %d NUMA zone%s; on this node it would spread over %d"
                    .formatted(ceiling.zones(), ceiling.zones() == 1 ? "" : "s", span));
        }
        if (trial.admission() instanceof Admitted admitted && !admitted.open().isEmpty()) {
            int worst = worst(ceiling, kubelet, before, trial, admitted);
            if (worst > ceiling.zones()) {
                return Optional.of(
                        "pod allows at most %d NUMA zone%s; the kubelet draws its devices by chance here, and they may spread over %d"
                                .formatted(ceiling.zones(), ceiling.zones() == 1 ? "" : "s", worst));
            }
        }
        return Optional.empty();
    }

    private static int worst(
            SpanCeiling ceiling, KubeletModel kubelet, NodeState before, Trial trial, Admitted admitted) {
        TreeSet<Integer> zones = new TreeSet<>();
        trial.placement().zones().forEach((id, amounts) -> {
            if (amounts.byResource().keySet().stream().anyMatch(ceiling::covers)) {
                zones.add(id);
            }
        });
        var devices = kubelet.devices().orElseThrow();
        admitted.open().stream()
                .filter(draw -> ceiling.covers(draw.resource()))
                .forEach(draw -> devices.countsByMask(
                                draw.resource(), devices.available(draw.resource(), before.devices()))
                        .keySet()
                        .forEach(bits -> new AffinityMask(bits).ids().forEach(zones::add)));
        return zones.size();
    }
}
