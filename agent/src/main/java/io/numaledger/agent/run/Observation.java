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
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
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
        return new Observations(kaiStrict).observe(reading, kubelet, earlier);
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

    /** The records of the pod at this place of the snapshot. */
    PodRecords records(int pod) {
        return records(annotated.get(pod), pods().get(pod), kaiStrict);
    }

    static PodRecords records(Placement placement, PodAllocation pod, boolean kaiStrict) {
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
        return topology(node, owner, new TopologyAssembler(reading.machine(), settings), profile, unlisted);
    }

    /** @param assembler of this machine */
    NodeTopology topology(
            String node,
            Optional<NodeTopology.Owner> owner,
            TopologyAssembler assembler,
            TopologyProfile profile,
            List<Unlisted> unlisted) {
        List<UnlistedPod> missing = unlisted.stream()
                .map(pod -> new UnlistedPod(pod.pod(), !pod.placement().isEmpty()))
                .toList();
        ProfileFacts facts = new ProfileFacts(
                reading.machine(),
                assembler.kubelet(),
                kubelet.listed().pods(),
                missing,
                reading.coreKinds(),
                kubelet.stateCpus().isPresent());
        return kubelet.exclusions().apply(profile.shape(plain(node, owner, assembler, unlisted), facts));
    }

    private NodeTopology plain(
            String node, Optional<NodeTopology.Owner> owner, TopologyAssembler assembler, List<Unlisted> unlisted) {
        if (kubelet.allocatable().isEmpty()) {
            return assembler.withoutKubelet(node, owner);
        }
        List<Placement> held = new ArrayList<>(placements);
        unlisted.forEach(pod -> held.add(pod.placement()));
        return assembler.assemble(node, owner, kubelet.allocatable().get(), kubelet.unheldCpus(), pods(), held);
    }
}
