package io.numaledger.bridge.link;

import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.snapshot.DryRun.Placed;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LargestClique;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.gpu.LinkedChoice;
import io.numaledger.gpu.LinkedChoice.Chooser;
import io.numaledger.gpu.PossibleSets;
import io.numaledger.gpu.PossibleSets.Group;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Compares the GPUs that the kubelet may give to a pod with the links that the pod demands. Without a known preference of the
 * device plugin, the kubelet draws at random among the GPUs of equal NUMA nodes (cm/devicemanager/manager.go, devicesToAllocate).
 */
public final class LinkCheck {

    private static final String GPU = NamedGpus.RESOURCE;

    /** The label of NVIDIA's GPU feature discovery; it names the profile where all devices are slices of one. */
    private static final String PRODUCT = "nvidia.com/gpu.product";

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
            GpuTopology gpus = topology(node, devices);
            PossibleSets sets = possibleSets(node, before, gpus, devices, placed);
            LinkedChoice choice = choice(gpus, sets, NO_DEMAND);
            return (int) Math.min(choice.fewest(), MAX_LINKS) << SET_BITS | staysFree(gpus, sets, choice);
        } catch (IllegalArgumentException unknown) {
            return 0;
        }
    }

    /** The size of the largest linked set that every possible set of the pod leaves; any of them where all pairs have equally many links. */
    private static int staysFree(GpuTopology gpus, PossibleSets sets, LinkedChoice choice) {
        GpuSet drawn = sets.groups().stream()
                .filter(group -> group.most() > 0)
                .map(Group::gpus)
                .reduce(GpuSet.NONE, GpuSet::or);
        GpuSet taken = gpus.links().uniform().isPresent()
                ? GpuSet.of(drawn.indexes().limit(sets.size()).toArray())
                : choice.only().orElse(drawn);
        return new LargestClique(gpus.links()).within(sets.gpus().minus(taken)).size();
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
        require(
                !node.node().constraints().labels().getOrDefault(PRODUCT, "").contains("-MIG-"),
                "its devices are slices of MIG");
        return node.node().gpus().orElseThrow(() -> new IllegalArgumentException("no GPU topology is published"));
    }

    private static LinkedChoice choice(GpuTopology gpus, PossibleSets sets, LinkDemand demand) {
        return LinkedChoice.of(gpus.links(), sets, demand, Chooser.RANDOM)
                .orElseThrow(() -> new IllegalArgumentException("too many sets of them are possible"));
    }

    private static Optional<String> violation(
            LinkDemand demand, NodeSnapshot node, NodeState before, Placed placed, List<DeviceAllocation> devices) {
        GpuTopology gpus = topology(node, devices);
        LinkedChoice choice = choice(gpus, possibleSets(node, before, gpus, devices, placed), demand);
        return switch (choice.verdict()) {
            case WILL -> Optional.empty();
            case CAN ->
                node.possibleGpuLinks()
                        ? Optional.empty()
                        : Optional.of(
                                "the kubelet chooses among equal GPUs, and only some sets have the links; a set has %d to %d"
                                        .formatted(choice.fewest(), choice.most()));
            case CANNOT ->
                Optional.of("no set of GPUs that the kubelet may choose has the links; a set has at most %d"
                        .formatted(choice.most()));
        };
    }

    /**
     * A GPU that no record names may be held by a pod without record, or be unhealthy: then fewer are free than are in question.
     *
     * @param wanted devices of the same NUMA nodes as those that the kubelet gives to the pod
     */
    private static PossibleSets possibleSets(
            NodeSnapshot node, NodeState before, GpuTopology gpus, List<DeviceAllocation> wanted, Placed placed) {
        boolean anyNumaNodes = placed.admitted().undetermined().stream()
                .anyMatch(choice -> choice.resource().equals(GPU));
        DeviceAllocator devices = node.model().kubelet().orElseThrow().devices().orElseThrow();
        SortedMap<Long, Integer> counts = new TreeMap<>();
        wanted.forEach(
                device -> counts.merge(AffinityMask.of(device.numaNodes()).bits(), 1, Integer::sum));
        GpuSet open = gpus.all().minus(held(node, before, gpus));
        List<Group> groups = new ArrayList<>();
        devices.countsByMask(GPU, devices.available(GPU, before.devices())).forEach((mask, free) -> {
            GpuSet there = onMask(gpus, mask).and(open);
            require(
                    free <= there.size(),
                    "the GPU topology has fewer GPUs than the node has devices; they may be shared or partitioned");
            int count = counts.getOrDefault(mask, 0);
            groups.add(new Group(there, count, count));
        });
        return new PossibleSets(anyNumaNodes ? List.of(new Group(open, 0, open.size())) : groups, wanted.size());
    }

    private static GpuSet onMask(GpuTopology gpus, long mask) {
        return GpuSet.of(gpus.all()
                .indexes()
                .filter(index -> {
                    var numaNode = gpus.gpus().get(index).numaNode();
                    return (numaNode.isEmpty() ? AffinityMask.NONE : AffinityMask.of(numaNode.getAsInt())).bits()
                            == mask;
                })
                .toArray());
    }

    /** The GPUs that records name, of pods that hold something in this state. */
    private static GpuSet held(NodeSnapshot node, NodeState state, GpuTopology gpus) {
        return NamedGpus.of(
                gpus,
                node.pods().stream()
                        .filter(pod -> state.devices().byPod().containsKey(pod.key()))
                        .flatMap(pod -> pod.devices().stream()));
    }

    private static void require(boolean holds, String complaint) {
        if (!holds) {
            throw new IllegalArgumentException(complaint);
        }
    }
}
