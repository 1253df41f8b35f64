package io.numaledger.bridge.link;

import io.numaledger.bridge.score.Ranking;
import io.numaledger.bridge.snapshot.DryRun.Placed;
import io.numaledger.bridge.snapshot.GpuPreference;
import io.numaledger.bridge.snapshot.NodeSnapshot;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LargestClique;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.gpu.LinkedChoice;
import io.numaledger.gpu.PossibleSets;
import io.numaledger.gpu.PossibleSets.Group;
import io.numaledger.gpu.PreferredSets;
import io.numaledger.kubelet.Admission.Hints;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.kubelet.hint.TopologyHint;
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
 * device plugin, the kubelet draws at random among the GPUs of equal NUMA nodes (cm/devicemanager/manager.go, devicesToAllocate). A
 * preference counts only where it is known which GPUs the plugin chooses from.
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
            List<FreeGpus> free = free(node, before, gpus);
            PossibleSets sets = possibleSets(free, devices, placed);
            Optional<List<GpuSet>> preferred = preferredSets(node, gpus, free, devices.size(), placed);
            LinkedChoice choice = choice(gpus, sets, preferred, NO_DEMAND);
            return (int) Math.min(choice.fewest(), MAX_LINKS) << SET_BITS | staysFree(gpus, sets, preferred, choice);
        } catch (IllegalArgumentException unknown) {
            return 0;
        }
    }

    /** The size of the largest linked set that every possible set of the pod leaves; any of them where all pairs have equally many links. */
    private static int staysFree(
            GpuTopology gpus, PossibleSets sets, Optional<List<GpuSet>> preferred, LinkedChoice choice) {
        GpuSet drawn = preferred
                .map(List::stream)
                .orElseGet(() ->
                        sets.groups().stream().filter(group -> group.most() > 0).map(Group::gpus))
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

    private static LinkedChoice choice(
            GpuTopology gpus, PossibleSets sets, Optional<List<GpuSet>> preferred, LinkDemand demand) {
        return preferred
                .map(some -> LinkedChoice.of(gpus.links(), some, demand))
                .or(() -> LinkedChoice.of(gpus.links(), sets, demand))
                .orElseThrow(() -> new IllegalArgumentException("too many sets of them are possible"));
    }

    private static Optional<String> violation(
            LinkDemand demand, NodeSnapshot node, NodeState before, Placed placed, List<DeviceAllocation> devices) {
        GpuTopology gpus = topology(node, devices);
        List<FreeGpus> free = free(node, before, gpus);
        LinkedChoice choice = choice(
                gpus,
                possibleSets(free, devices, placed),
                preferredSets(node, gpus, free, devices.size(), placed),
                demand);
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

    /**
     * The GPUs of equal NUMA nodes that may be free. A GPU that no record names may be held by a pod without record, or be unhealthy:
     * then fewer are free than are in question.
     *
     * @param mask their NUMA nodes; none: the device plugin names none
     * @param open no record names them
     * @param count how many of them are free
     */
    private record FreeGpus(AffinityMask mask, GpuSet open, int count) {}

    private static List<FreeGpus> free(NodeSnapshot node, NodeState before, GpuTopology gpus) {
        DeviceAllocator devices = node.model().kubelet().orElseThrow().devices().orElseThrow();
        GpuSet open = gpus.all().minus(held(node, before, gpus));
        List<FreeGpus> free = new ArrayList<>();
        devices.countsByMask(GPU, devices.available(GPU, before.devices())).forEach((mask, count) -> {
            GpuSet there = onMask(gpus, mask).and(open);
            require(
                    count <= there.size(),
                    "the GPU topology has fewer GPUs than the node has devices; they may be shared or partitioned");
            free.add(new FreeGpus(new AffinityMask(mask), there, count));
        });
        return free;
    }

    /** @param wanted devices of the same NUMA nodes as those that the kubelet gives to the pod */
    private static PossibleSets possibleSets(List<FreeGpus> free, List<DeviceAllocation> wanted, Placed placed) {
        if (placed.admitted().undetermined().stream()
                .anyMatch(choice -> choice.resource().equals(GPU))) {
            GpuSet open = free.stream().map(FreeGpus::open).reduce(GpuSet.NONE, GpuSet::or);
            return new PossibleSets(List.of(new Group(open, 0, open.size())), wanted.size());
        }
        SortedMap<Long, Integer> counts = new TreeMap<>();
        wanted.forEach(
                device -> counts.merge(AffinityMask.of(device.numaNodes()).bits(), 1, Integer::sum));
        List<Group> groups = free.stream()
                .map(there -> {
                    int count = counts.getOrDefault(there.mask().bits(), 0);
                    return new Group(there.open(), count, count);
                })
                .toList();
        return new PossibleSets(groups, wanted.size());
    }

    /**
     * The sets that the device plugin may prefer; absent where it is unknown. The kubelet lets the plugin choose from the aligned GPUs if
     * there are more of them than a container needs, and from all if none is aligned (cm/devicemanager/manager.go, devicesToAllocate).
     *
     * @param wanted the number of the pod's GPUs, 2 or more
     */
    private static Optional<List<GpuSet>> preferredSets(
            NodeSnapshot node, GpuTopology gpus, List<FreeGpus> free, int wanted, Placed placed) {
        List<PredictedContainer> containers = placed.admitted().containers().stream()
                .filter(container -> container.deviceCounts().containsKey(GPU))
                .toList();
        if (node.gpuLinks().preference(GPU) == GpuPreference.random || containers.size() > 1) {
            return Optional.empty();
        }
        List<FreeGpus> aligned = aligned(free, mask(placed.admitted().hints(), containers.get(0)));
        List<FreeGpus> choice = aligned.isEmpty() ? free : aligned;
        boolean known =
                choice.stream().allMatch(there -> there.count() == there.open().size());
        GpuSet open = choice.stream().map(FreeGpus::open).reduce(GpuSet.NONE, GpuSet::or);
        return known && wanted <= open.size() ? PreferredSets.of(gpus, open, wanted) : Optional.empty();
    }

    private static Optional<AffinityMask> mask(Hints hints, PredictedContainer container) {
        return hints.pod()
                .or(() -> Optional.ofNullable(hints.byContainer().get(container.name())))
                .flatMap(TopologyHint::mask);
    }

    private static List<FreeGpus> aligned(List<FreeGpus> free, Optional<AffinityMask> mask) {
        return free.stream()
                .filter(there -> mask.stream()
                        .anyMatch(numaNodes -> !numaNodes.and(there.mask()).isEmpty()))
                .toList();
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
