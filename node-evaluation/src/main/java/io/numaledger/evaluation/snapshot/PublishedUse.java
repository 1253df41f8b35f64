package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.facts.PodFacts;
import io.numaledger.kubelet.Admission.Admitted;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.resource.ResourceKind;
import io.numaledger.resource.Saturating;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What the published zones of a node show as held, compared with the allocations that are known.
 */
final class PublishedUse {

    private final KubeletModel kubelet;
    private final NodeTopology topology;
    private final Allocations allocations;
    private final Optional<PodHolding> unheld;

    PublishedUse(KubeletModel kubelet, NodeTopology topology, Allocations allocations) {
        this.kubelet = kubelet;
        this.topology = topology;
        this.allocations = allocations;
        this.unheld = unheld(kubelet);
    }

    private static Optional<PodHolding> unheld(KubeletModel kubelet) {
        Placement.Builder cpus = new Placement.Builder();
        for (NumaNode numaNode : kubelet.machine().topology().numaNodes()) {
            int count = numaNode.cpus().intersect(kubelet.unheldCpus()).size();
            if (count > 0) {
                cpus.add(numaNode.id(), Amounts.CPU, count * 1000L);
            }
        }
        Placement placement = cpus.build();
        return placement.isEmpty()
                ? Optional.empty()
                : Optional.of(
                        new PodHolding(CpuState.FILE, PlacementSource.OBSERVED_EXACTLY, false, placement, List.of()));
    }

    /** What pods hold, and the CPUs that the kubelet gives to nobody. */
    List<PodHolding> held(List<PodHolding> pods) {
        return unheld.isEmpty()
                ? pods
                : Stream.concat(unheld.stream(), pods.stream()).toList();
    }

    /** Whether records name CPUs of others, and the zones were published for these pods: they show whether more CPUs are held. */
    boolean showsCpusCountedTwice(NodeState state, List<String> all, List<PodHolding> pods) {
        return !CpusCountedTwice.of(kubelet, state).isEmpty()
                && PublishedPods.are(
                        topology, all, pods.stream().map(PodHolding::key).toList());
    }

    /**
     * Whether the topology's available amounts show what these pods hold beyond the known allocations. A pod may run for a moment before
     * its node publishes anything about it. The zones of an agent say for which pods they are; those of others are compared with the
     * requests.
     */
    boolean shows(List<PodFacts> unknown, NodeState state, List<String> all, List<PodHolding> pods) {
        if (topology.isFromAgent()) {
            List<String> holders =
                    new ArrayList<>(pods.stream().map(PodHolding::key).toList());
            unknown.forEach(pod -> holders.add(pod.key()));
            return PublishedPods.are(topology, all, holders);
        }
        Map<String, Long> unexplained = new TreeMap<>();
        topology.numaZones()
                .values()
                .forEach(zone -> zone.resources().forEach((resource, amounts) -> {
                    if (isCounted(resource) && amounts.isReadable()) {
                        unexplained.merge(resource, HeldDevices.amount(topology, resource, amounts), Saturating::add);
                    }
                }));
        held(pods).forEach(pod -> subtract(unexplained, pod.placement()));
        for (PodFacts pod : unknown) {
            Decision decision = kubelet.admit(state, pod.request());
            if (decision.admission() instanceof Admitted admitted) {
                PodAllocation running = kubelet.listed(pod.request(), admitted);
                NodeState after = kubelet.started(decision.state(), pod.request());
                subtract(unexplained, allocations.placement(state, after, running));
            }
        }
        return unexplained.values().stream().noneMatch(amount -> amount < 0);
    }

    /** Not all exporters subtract memory. */
    private static boolean isCounted(String resource) {
        return resource.equals(Amounts.CPU) || ResourceKind.of(resource) == ResourceKind.DEVICE;
    }

    private static void subtract(Map<String, Long> amounts, Placement placement) {
        placement
                .zones()
                .values()
                .forEach(zone -> zone.byResource()
                        .forEach((resource, amount) ->
                                amounts.computeIfPresent(resource, (any, left) -> Saturating.subtract(left, amount))));
    }

    /** What is missing from the available amounts beyond the known allocations. */
    Placement unexplained(NodeState state, List<PodHolding> pods) {
        Placement.Builder known = new Placement.Builder();
        held(pods).forEach(pod -> known.add(pod.placement()));
        Map<Integer, Amounts> allocated = known.build().zones();
        Placement twice = CpusCountedTwice.of(kubelet, state);
        Placement.Builder missing = new Placement.Builder();
        topology.numaZones()
                .forEach((id, zone) -> zone.resources().forEach((resource, amounts) -> {
                    long rest = HeldDevices.amount(topology, resource, amounts)
                            - allocated.getOrDefault(id, Amounts.NONE).get(resource)
                            + twice.on(id).get(resource);
                    if (rest > 0) {
                        missing.add(id, resource, rest);
                    }
                }));
        return missing.build();
    }
}
