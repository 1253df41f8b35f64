package io.numaledger.evaluation.link;

import io.numaledger.evaluation.snapshot.DryRun.Placed;
import io.numaledger.evaluation.snapshot.GpuPreference;
import io.numaledger.evaluation.snapshot.NodeSnapshot;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.LinkDemand;
import io.numaledger.gpu.LinkMatrix;
import io.numaledger.gpu.LinkedChoice;
import io.numaledger.gpu.PossibleSets;
import io.numaledger.gpu.PossibleSets.Group;
import io.numaledger.gpu.PreferredSets;
import io.numaledger.kubelet.Admission.Hints;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
import io.numaledger.kubelet.device.DeviceAllocator;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.topology.AffinityMask;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The sets of GPUs that the kubelet may choose for a pod. It draws at random among the GPUs of equal NUMA nodes, unless the device plugin
 * prefers some of them (cm/devicemanager/manager.go, devicesToAllocate).
 *
 * @param links of all GPUs of the node
 * @param possible the sets without a preference
 * @param preferred the sets one of which the device plugin prefers; absent where that is unknown
 */
record GpuChoice(LinkMatrix links, PossibleSets possible, Optional<List<GpuSet>> preferred) {

    private static final String GPU = NamedGpus.RESOURCE;

    /**
     * Works the sets out.
     *
     * @param before the node's state without the pod
     * @param wanted devices of the same NUMA nodes as those that the kubelet gives to the pod; not empty
     * @throws IllegalArgumentException saying why they are unknown
     */
    static GpuChoice of(
            NodeSnapshot node, NodeState before, GpuTopology gpus, Placed placed, List<DeviceAllocation> wanted) {
        List<FreeGpus> free = free(node, before, gpus);
        Optional<List<GpuSet>> preferred = node.gpuLinks().preference(GPU) == GpuPreference.gpuallocator
                ? preferredSets(gpus, free, placed, wanted.size())
                : Optional.empty();
        return new GpuChoice(gpus.links(), possibleSets(free, placed, wanted), preferred);
    }

    /** @throws IllegalArgumentException if there are too many sets */
    LinkedChoice compare(LinkDemand demand) {
        return preferred
                .map(sets -> LinkedChoice.of(links, sets, demand))
                .or(() -> LinkedChoice.of(links, possible, demand))
                .orElseThrow(() -> new IllegalArgumentException("too many sets of them are possible"));
    }

    /** The number of GPUs of the pod. */
    int size() {
        return possible.size();
    }

    /** All GPUs that may be free, also on NUMA nodes from which the pod gets none. */
    GpuSet mayBeFree() {
        return possible.gpus();
    }

    /** The GPUs that are in some set. */
    GpuSet mayBeTaken() {
        return preferred
                .map(List::stream)
                .orElseGet(() -> possible.groups().stream()
                        .filter(group -> group.most() > 0)
                        .map(Group::gpus))
                .reduce(GpuSet.NONE, GpuSet::or);
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
            if (count > there.size()) {
                throw new IllegalArgumentException(WholeGpus.TOO_MANY_DEVICES);
            }
            free.add(new FreeGpus(new AffinityMask(mask), there, count));
        });
        return free;
    }

    /** @param wanted devices of the same NUMA nodes as those that the kubelet gives to the pod */
    private static PossibleSets possibleSets(List<FreeGpus> free, Placed placed, List<DeviceAllocation> wanted) {
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
     * @param wanted the number of the pod's GPUs, 1 or more
     */
    private static Optional<List<GpuSet>> preferredSets(
            GpuTopology gpus, List<FreeGpus> free, Placed placed, int wanted) {
        List<PredictedContainer> containers = placed.admitted().containers().stream()
                .filter(container -> container.deviceCounts().containsKey(GPU))
                .toList();
        if (containers.size() > 1) {
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

    /** The GPUs that records name, of pods that hold something in this state. Those of a terminating pod may be free any time. */
    private static GpuSet held(NodeSnapshot node, NodeState state, GpuTopology gpus) {
        return NamedGpus.of(
                gpus,
                node.pods().stream()
                        .filter(pod -> !pod.terminating())
                        .filter(pod -> state.devices().byPod().containsKey(pod.key()))
                        .flatMap(pod -> pod.devices().stream()));
    }
}
