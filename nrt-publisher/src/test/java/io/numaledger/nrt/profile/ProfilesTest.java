package io.numaledger.nrt.profile;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.TopologyAssembler;
import io.numaledger.nrt.fingerprint.PodName;
import io.numaledger.nrt.fingerprint.PodsFingerprint;
import io.numaledger.nrt.profile.ProfileFacts.UnlistedPod;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

class ProfilesTest {

    private static final MachineTopology MACHINE =
            new MachineTopology(CpuSet.range(0, 7), List.of(node(0, "0-3"), node(1, "4-7"), node(2, "")), List.of());
    /** All CPUs of NUMA node 0 are reserved; one GPU is held and no longer healthy. */
    private static final AllocatableResources ALLOCATABLE = new AllocatableResources(
            CpuSet.range(4, 7), List.of(new MemoryBlock("memory", 3000, List.of(1))), List.of(gpu("1")));

    private static final PodAllocation HOLDER = pod("holder", CpuSet.of(4), gpu("0"));
    private static final PodAllocation SHARED = pod("shared", CpuSet.EMPTY);

    @Test
    void ordersAttributesAsTheExporterDoesWhosePlaceItTakes() {
        assertThat(shape(ProfileName.RTE, "Static").attributes().keySet())
                .containsExactly(
                        "nodeTopologyPodsFingerprint",
                        "nodeTopologyPodsFingerprintMethod",
                        "topologyManagerScope",
                        "topologyManagerPolicy");
        assertThat(shape(ProfileName.NFD, "Static").attributes().keySet())
                .containsExactly(
                        "topologyManagerPolicy", "topologyManagerScope", "cpu_atom", "nodeTopologyPodsFingerprint");
    }

    @Test
    void showsAZoneWithNothingAllocatableByItsCpus() {
        NodeTopology topology = shape(ProfileName.RTE, "Static");
        assertThat(topology.zones().get(0).resources())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of("cpu", new ZoneResource(4000, 0, 0))));
        assertThat(topology.zones().get(2).resources())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of("cpu", new ZoneResource(0, 0, 0))));
    }

    @Test
    void countsOnlyAllocatableDevicesAsCapacityInTheProfilesOfOthers() {
        assertThat(shape(ProfileName.NFD, "Static").zones().get(1).resources())
                .containsEntry("nvidia.com/gpu", new ZoneResource(1, 1, 1))
                .containsEntry("cpu", new ZoneResource(4000, 4000, 3000));
        assertThat(shape(ProfileName.NUMALEDGER, "Static").zones().get(1).resources())
                .containsEntry("nvidia.com/gpu", new ZoneResource(2, 1, 1));
    }

    @Test
    void writesZoneAttributesInItsOwnProfileAlone() {
        assertThat(shape(ProfileName.NUMALEDGER, "Static").zones().get(1).attributes())
                .containsEntry("cpus", "4-7");
        assertThat(shape(ProfileName.RTE, "Static").zones())
                .allMatch(zone -> zone.attributes().isEmpty());
        assertThat(shape(ProfileName.NFD, "Static").zones())
                .allMatch(zone -> zone.attributes().isEmpty());
    }

    @Test
    void fingerprintsWhatTheMethodCounts() {
        String exclusive = PodsFingerprint.of(List.of(new PodName("ns", "holder")));
        String all = PodsFingerprint.of(List.of(new PodName("ns", "holder"), new PodName("ns", "shared")));
        assertThat(shape(ProfileName.NUMALEDGER, "Static").attributes())
                .containsEntry("nodeTopologyPodsFingerprint", exclusive)
                .containsEntry("nodeTopologyPodsFingerprintMethod", "with-exclusive-resources");
        assertThat(shape(ProfileName.NUMALEDGER, "None").attributes())
                .containsEntry("nodeTopologyPodsFingerprint", all)
                .containsEntry("nodeTopologyPodsFingerprintMethod", "all");
        assertThat(shape(ProfileName.RTE, "Static").annotations())
                .containsEntry("topology.node.k8s.io/fingerprint", exclusive);
        assertThat(shape(ProfileName.NFD, "Static").attributes()).containsEntry("nodeTopologyPodsFingerprint", all);
    }

    @Test
    void fingerprintsPodsThatTheKubeletDoesNotListForTheMoment() {
        ProfileFacts facts = new ProfileFacts(
                MACHINE,
                settings("Static"),
                List.of(),
                List.of(
                        new UnlistedPod(new PodName("ns", "holder"), true),
                        new UnlistedPod(new PodName("ns", "shared"), false)),
                new TreeMap<>(),
                false);
        NodeTopology shaped =
                ProfileName.NUMALEDGER.profile(false).orElseThrow().shape(plain("Static"), facts);
        assertThat(shaped.attributes())
                .containsEntry("nodeTopologyPodsFingerprint", PodsFingerprint.of(List.of(new PodName("ns", "holder"))));
    }

    @Test
    void writesTheDeprecatedPolicyWhereItsReadersLookForIt() {
        assertThat(shape(ProfileName.NFD, "Static").topologyPolicies()).containsExactly("SingleNUMANodePodLevel");
        assertThat(shape(ProfileName.NUMALEDGER, "Static").topologyPolicies())
                .containsExactly("SingleNUMANodePodLevel");
        assertThat(shape(ProfileName.RTE, "Static").topologyPolicies()).isEmpty();
    }

    @Test
    void tellsContainerPlacementsOnlyWhenAsked() {
        NodeTopology reported = ProfileName.RTE.profile(true).orElseThrow().shape(plain("Static"), facts("Static"));
        assertThat(reported.attributes())
                .containsEntry("topology.node.k8s.io/numaplacement-metadata", "npv0v001::ve=leb89::cc=1::nn=3::bn=1");
        assertThat(shape(ProfileName.RTE, "Static").attributes())
                .doesNotContainKey("topology.node.k8s.io/numaplacement-metadata");
    }

    @Test
    void publishesNothingWhenOff() {
        assertThat(ProfileName.of("off").orElseThrow().profile(false)).isEmpty();
        assertThat(ProfileName.of("hybrid")).isEmpty();
    }

    private static NodeTopology shape(ProfileName name, String memoryPolicy) {
        return name.profile(false).orElseThrow().shape(plain(memoryPolicy), facts(memoryPolicy));
    }

    private static ProfileFacts facts(String memoryPolicy) {
        return new ProfileFacts(
                MACHINE,
                settings(memoryPolicy),
                List.of(HOLDER, SHARED),
                List.of(),
                new TreeMap<>(Map.of("cpu_atom", "6-7")),
                false);
    }

    private static NodeTopology plain(String memoryPolicy) {
        return new TopologyAssembler(MACHINE, settings(memoryPolicy))
                .assemble(
                        "n",
                        Optional.empty(),
                        ALLOCATABLE,
                        List.of(HOLDER, SHARED),
                        new PlacementObserver(MACHINE, ALLOCATABLE.memory())
                                .observe(List.of(HOLDER, SHARED), Map.of()));
    }

    private static KubeletSettings settings(String memoryPolicy) {
        return new KubeletSettings(
                Optional.of(TopologyPolicyName.SINGLE_NUMA_NODE),
                Optional.of(TopologyScope.POD),
                new TreeMap<>(),
                Optional.of(CpuPolicy.STATIC),
                new TreeMap<>(),
                Optional.of(MemoryPolicy.parse(memoryPolicy)));
    }

    private static PodAllocation pod(String name, CpuSet cpus, DeviceAllocation... devices) {
        return new PodAllocation("ns", name, List.of(new ContainerAllocation("c", cpus, List.of(), List.of(devices))));
    }

    private static DeviceAllocation gpu(String id) {
        return new DeviceAllocation("nvidia.com/gpu", id, List.of(1));
    }

    private static NumaNode node(int id, String cpus) {
        return new NumaNode(id, CpuSet.parse(cpus), OptionalLong.of(4000), new TreeMap<>(), new TreeMap<>());
    }
}
