package io.numaledger.agent.run;

import io.numaledger.annotation.PodRecords;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAssembler;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.profile.ProfileFacts;
import io.numaledger.nrt.profile.ProfileFacts.UnlistedPod;
import io.numaledger.nrt.profile.TopologyProfile;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodResourcesSnapshot;
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
import java.util.stream.Collectors;

/**
 * What one look at the node showed.
 *
 * @param reading the machine
 * @param allocatable absent: this kubelet does not tell
 * @param placements where the pods of the snapshot lie, in its order
 * @param annotated the same, as the annotations say it
 * @param kaiStrict true: KAI's record is the only one, and as KAI's exporter writes it
 * @param remarks what had to be left out
 */
public record Observation(
        NodeProbe.Reading reading,
        Optional<AllocatableResources> allocatable,
        PodResourcesSnapshot snapshot,
        List<Placement> placements,
        List<Placement> annotated,
        boolean kaiStrict,
        SortedSet<String> remarks) {

    /**
     * @param earlier pod key → what was recorded of that pod before
     * @param kaiStrict leave memory blocks of several NUMA nodes out of the annotations, and the second record
     */
    public static Observation of(
            NodeProbe.Reading reading,
            Optional<AllocatableResources> allocatable,
            PodResourcesSnapshot snapshot,
            Map<String, Placement> earlier,
            boolean kaiStrict) {
        MachineTopology machine = reading.machine();
        List<MemoryBlock> memory = allocatable.map(AllocatableResources::memory).orElseGet(() -> memoryOf(machine));
        PlacementObserver observer = new PlacementObserver(machine, memory, false);
        List<Placement> placements = observer.observe(snapshot.pods(), earlier);
        List<Placement> annotated =
                kaiStrict ? new PlacementObserver(machine, memory, true).observe(snapshot.pods(), earlier) : placements;
        return new Observation(reading, allocatable, snapshot, placements, annotated, kaiStrict, observer.remarks());
    }

    /** How many devices may be given out that lie in no NUMA node of the machine; empty: this kubelet does not tell. */
    public OptionalInt devicesWithoutZone() {
        if (allocatable.isEmpty()) {
            return OptionalInt.empty();
        }
        Set<Integer> zones =
                reading.machine().numaNodes().stream().map(NumaNode::id).collect(Collectors.toSet());
        return OptionalInt.of((int) allocatable.get().devices().stream()
                .filter(device -> device.numaNodes().stream().noneMatch(zones::contains))
                .count());
    }

    private static List<MemoryBlock> memoryOf(MachineTopology machine) {
        List<MemoryBlock> blocks = new ArrayList<>();
        for (NumaNode node : machine.numaNodes()) {
            node.memoryBytes().ifPresent(bytes -> blocks.add(new MemoryBlock("memory", bytes, List.of(node.id()))));
        }
        return blocks;
    }

    /** Pod key → what the kubelet lists under that name; a name can be listed twice while one instance replaces another. */
    public SortedMap<String, List<PodRecords>> byPod() {
        TreeMap<String, List<PodRecords>> byPod = new TreeMap<>();
        for (int i = 0; i < annotated.size(); i++) {
            byPod.computeIfAbsent(snapshot.pods().get(i).key(), key -> new ArrayList<>())
                    .add(records(i));
        }
        return byPod;
    }

    /** The records of the pod at this place of the snapshot. */
    PodRecords records(int pod) {
        return kaiStrict
                ? PodRecords.observed(annotated.get(pod))
                : PodRecords.of(annotated.get(pod), snapshot.pods().get(pod));
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
            KubeletSettings kubelet,
            TopologyProfile profile,
            List<Unlisted> unlisted) {
        List<UnlistedPod> pods = unlisted.stream()
                .map(pod -> new UnlistedPod(pod.pod(), !pod.placement().isEmpty()))
                .toList();
        ProfileFacts facts = new ProfileFacts(reading.machine(), kubelet, snapshot.pods(), pods, reading.coreKinds());
        return profile.shape(plain(node, owner, kubelet, unlisted), facts);
    }

    private NodeTopology plain(
            String node, Optional<NodeTopology.Owner> owner, KubeletSettings kubelet, List<Unlisted> unlisted) {
        TopologyAssembler assembler = new TopologyAssembler(reading.machine(), kubelet);
        if (allocatable.isEmpty()) {
            return assembler.withoutKubelet(node, owner);
        }
        List<Placement> held = new ArrayList<>(placements);
        unlisted.forEach(pod -> held.add(pod.placement()));
        return assembler.assemble(node, owner, allocatable.get(), snapshot.pods(), held);
    }
}
