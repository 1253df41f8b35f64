package io.numaledger.agent.run;

import io.numaledger.agent.sysfs.NodeProbe;
import io.numaledger.annotation.PodRecords;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAssembler;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.profile.ProfileFacts;
import io.numaledger.nrt.profile.ProfileFacts.UnlistedPod;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.KaiPlacement;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * The state of the node at one instant.
 *
 * @param reading the machine
 * @param kubelet the kubelet's answer
 * @param placements where the pods that it lists lie, in its order
 * @param annotated the same, as the annotations say it
 * @param byPod pod key → its records; a name can be listed twice while one instance replaces another
 * @param kaiStrict true: KAI's record is the only one, and as KAI's exporter writes it
 * @param warnings invalid values that were left out
 */
public record Observation(
        NodeProbe.Reading reading,
        KubeletAnswer kubelet,
        List<Placement> placements,
        List<Placement> annotated,
        SortedMap<String, List<PodRecords>> byPod,
        boolean kaiStrict,
        SortedSet<String> warnings) {

    /**
     * @param earlier pod key → what was recorded of that pod before
     * @param kaiStrict write the annotation as KAI's exporter does, and no second record; the pods need their reports
     */
    public static Observation of(
            NodeProbe.Reading reading, KubeletAnswer kubelet, Map<String, Placement> earlier, boolean kaiStrict) {
        MachineTopology machine = reading.machine();
        List<PodAllocation> pods = kubelet.held().pods();
        List<MemoryBlock> memory =
                kubelet.allocatable().map(AllocatableResources::memory).orElseGet(() -> memoryOf(machine));
        PlacementObserver observer = new PlacementObserver(machine, memory);
        List<Placement> placements = observer.observe(pods, earlier);
        List<Placement> annotated =
                kaiStrict ? pods.stream().map(pod -> kai(machine, pod)).toList() : placements;
        SortedMap<String, List<PodRecords>> byPod = new TreeMap<>();
        for (int i = 0; i < pods.size(); i++) {
            byPod.computeIfAbsent(pods.get(i).key(), key -> new ArrayList<>())
                    .add(records(annotated.get(i), pods.get(i), kaiStrict));
        }
        SortedSet<String> warnings = new TreeSet<>(observer.warnings());
        kubelet.allocatable().ifPresent(all -> warnings.addAll(impossibleDevices(machine, all.devices())));
        return new Observation(reading, kubelet, placements, annotated, byPod, kaiStrict, warnings);
    }

    /** A sentence for each resource with devices that are only on NUMA nodes that the machine does not have. */
    private static List<String> impossibleDevices(MachineTopology machine, List<DeviceAllocation> devices) {
        SortedMap<String, SortedSet<Integer>> numaNodes = new TreeMap<>();
        SortedMap<String, Integer> counts = new TreeMap<>();
        devices.stream()
                .filter(device -> !device.numaNodes().isEmpty()
                        && device.numaNodes().stream()
                                .noneMatch(id -> machine.numaNode(id).isPresent()))
                .forEach(device -> {
                    counts.merge(device.resource(), 1, Integer::sum);
                    numaNodes
                            .computeIfAbsent(device.resource(), any -> new TreeSet<>())
                            .addAll(device.numaNodes());
                });
        return counts.entrySet().stream()
                .map(each ->
                        "a device plugin reports NUMA nodes that this machine does not have: resource=%s numaNodes=%s devices=%d; the kubelet refuses pods that request them under the policies restricted and single-numa-node: correct the plugin"
                                .formatted(each.getKey(), numaNodes.get(each.getKey()), each.getValue()))
                .toList();
    }

    /** Tests may omit the report; KAI's placement is then empty. */
    private static Placement kai(MachineTopology machine, PodAllocation pod) {
        return pod.reported()
                .map(reported -> KaiPlacement.of(machine, reported))
                .orElse(Placement.EMPTY);
    }

    /** The number of allocatable devices without a NUMA node of the machine; empty: the kubelet does not report allocatable devices. */
    public OptionalInt devicesWithoutZone() {
        if (kubelet.allocatable().isEmpty()) {
            return OptionalInt.empty();
        }
        Set<Integer> zones =
                reading.machine().numaNodes().stream().map(NumaNode::id).collect(Collectors.toSet());
        return OptionalInt.of((int) kubelet.allocatable().get().devices().stream()
                .filter(device -> device.numaNodes().stream().noneMatch(zones::contains))
                .count());
    }

    /** What each pod holds. */
    public List<PodAllocation> pods() {
        return kubelet.held().pods();
    }

    private static List<MemoryBlock> memoryOf(MachineTopology machine) {
        List<MemoryBlock> blocks = new ArrayList<>();
        for (NumaNode node : machine.numaNodes()) {
            node.memoryBytes().ifPresent(bytes -> blocks.add(new MemoryBlock("memory", bytes, List.of(node.id()))));
        }
        return blocks;
    }

    /** The records of the pod at this place of the snapshot. */
    PodRecords records(int pod) {
        return records(annotated.get(pod), pods().get(pod), kaiStrict);
    }

    private static PodRecords records(Placement placement, PodAllocation pod, boolean kaiStrict) {
        return kaiStrict ? PodRecords.observed(placement) : PodRecords.of(placement, pod);
    }

    /**
     * A pod that runs here though the kubelet does not list it for the moment.
     *
     * @param placement its last known one; empty: none is known
     */
    public record Unlisted(PodName pod, Placement placement) {}

    /** The NodeResourceTopology as the profile shows it. */
    public NodeTopology topology(
            String node,
            Optional<NodeTopology.Owner> owner,
            KubeletSettings settings,
            TopologyProfile profile,
            List<Unlisted> unlisted) {
        List<UnlistedPod> missing = unlisted.stream()
                .map(pod -> new UnlistedPod(pod.pod(), !pod.placement().isEmpty()))
                .toList();
        ProfileFacts facts = new ProfileFacts(
                reading.machine(),
                settings,
                kubelet.listed().pods(),
                missing,
                reading.coreKinds(),
                kubelet.initContainers());
        return kubelet.exclusions().apply(profile.shape(plain(node, owner, settings, unlisted), facts));
    }

    private NodeTopology plain(
            String node, Optional<NodeTopology.Owner> owner, KubeletSettings settings, List<Unlisted> unlisted) {
        TopologyAssembler assembler = new TopologyAssembler(reading.machine(), settings);
        if (kubelet.allocatable().isEmpty()) {
            return assembler.withoutKubelet(node, owner);
        }
        List<Placement> held = new ArrayList<>(placements);
        unlisted.forEach(pod -> held.add(pod.placement()));
        return assembler.assemble(node, owner, kubelet.allocatable().get(), pods(), held);
    }
}
