package io.numaledger.evaluation.link;

import io.numaledger.evaluation.score.Ranking;
import io.numaledger.evaluation.snapshot.DryRun.Placed;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LargestClique;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.gpu.LinkedChoice;
import io.numaledger.kubelet.NodeState;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;

import java.util.List;
import java.util.Optional;

/** Compares the GPUs that the kubelet may give to a pod with the links that the pod demands. */
public final class LinkCheck {

    private static final String GPU = NamedGpus.RESOURCE;

    private static final LinkDemand NO_DEMAND = new LinkDemand(false, 0);

    /** A set of GPUs has 128 at most. */
    private static final int SET_BITS = 8;

    private static final long MAX_LINKS = Ranking.MAX_LINK_SCORE >> SET_BITS;

    private LinkCheck() {}

    /**
     * Why a pod that the kubelet admits could get other links than it demands; empty if it cannot, whichever GPUs the kubelet draws, or
     * if the node takes pods for which this is only possible.
     *
     * @param before the node's state without the pod
     */
    public static Optional<String> violation(LinkDemand demand, NodeSnapshot node, NodeState before, Placed placed) {
        List<DeviceAllocation> devices = devices(placed);
        if (devices.size() < 2) {
            return demand.leastLinks() == 0
                    ? Optional.empty()
                    : Optional.of("the pod demands %d links, and has fewer than 2 GPUs".formatted(demand.leastLinks()));
        }
        try {
            return violation(demand, node, before, placed, devices);
        } catch (IllegalArgumentException unknown) {
            return Optional.of("the links of this node's free GPUs are unknown: " + unknown.getMessage());
        }
    }

    /**
     * How good the links are that a pod gets: first the links that its GPUs surely have, then the size of the largest set of linked GPUs
     * that stays free whichever GPUs the kubelet draws.
     *
     * @param before the node's state without the pod
     * @return 0 to {@link Ranking#MAX_LINK_SCORE}; 0 where the links are unknown
     */
    public static int score(NodeSnapshot node, NodeState before, Placed placed) {
        List<DeviceAllocation> devices = devices(placed);
        if (devices.isEmpty()) {
            return 0;
        }
        try {
            GpuChoice gpus = GpuChoice.of(node, before, topology(node, devices), placed, devices);
            LinkedChoice choice = gpus.compare(NO_DEMAND);
            return (int) Math.min(choice.fewest(), MAX_LINKS) << SET_BITS | staysFree(gpus, choice);
        } catch (IllegalArgumentException unknown) {
            return 0;
        }
    }

    /** The size of the largest linked set that every possible set of the pod leaves; any of them where all pairs have equally many links. */
    private static int staysFree(GpuChoice gpus, LinkedChoice choice) {
        GpuSet taken = gpus.links().uniform().isPresent()
                ? GpuSet.of(gpus.mayBeTaken().indexes().limit(gpus.size()).toArray())
                : choice.only().orElseGet(gpus::mayBeTaken);
        return new LargestClique(gpus.links())
                .within(gpus.mayBeFree().minus(taken))
                .size();
    }

    private static List<DeviceAllocation> devices(Placed placed) {
        return placed.allocation().running().containers().stream()
                .map(ContainerAllocation::devices)
                .flatMap(List::stream)
                .filter(device -> device.resource().startsWith("nvidia.com/"))
                .toList();
    }

    private static GpuTopology topology(NodeSnapshot node, List<DeviceAllocation> devices) {
        require(
                devices.stream().allMatch(device -> device.resource().equals(GPU)),
                "the pod requests other resources than " + GPU);
        WholeGpus.check(node.node());
        return node.node()
                .gpus()
                .orElseThrow(() -> new IllegalArgumentException(
                        node.node().gpusUnusable().orElse("no GPU topology is published")));
    }

    private static Optional<String> violation(
            LinkDemand demand, NodeSnapshot node, NodeState before, Placed placed, List<DeviceAllocation> devices) {
        LinkedChoice choice = GpuChoice.of(node, before, topology(node, devices), placed, devices)
                .compare(demand);
        return switch (choice.verdict()) {
            case WILL -> Optional.empty();
            case CAN ->
                node.gpuLinks().possible()
                        ? Optional.empty()
                        : Optional.of(
                                "the kubelet chooses among equal GPUs, and only some sets have the links; a set has %d to %d"
                                        .formatted(choice.fewest(), choice.most()));
            case CANNOT ->
                Optional.of("no set of GPUs that the kubelet may choose has the links; a set has at most %d"
                        .formatted(choice.most()));
        };
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalArgumentException(complaint);
        }
    }
}
