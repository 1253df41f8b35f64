package io.numaledger.nrt;

import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;

import static org.assertj.core.api.Assertions.assertThat;

class TopologyAssemblerTest {

    private static final long GIB = 1L << 30;
    private static final MachineTopology MACHINE = new MachineTopology(
            CpuSet.range(0, 7),
            List.of(
                    node(0, "0-3", Map.of(0, 10, 72, 21), Map.of(2097152L, 512L)),
                    node(72, "4-7", Map.of(0, 21, 72, 10), Map.of()),
                    node(250, "", Map.of(), Map.of())),
            List.of());
    private static final AllocatableResources ALLOCATABLE = new AllocatableResources(
            CpuSet.range(1, 7),
            List.of(
                    new MemoryBlock("memory", 14 * GIB, List.of(0)),
                    new MemoryBlock("memory", 16 * GIB, List.of(72)),
                    new MemoryBlock("hugepages-2Mi", GIB, List.of(0))),
            List.of(gpu("0", 0), gpu("1", 0), gpu("2", 72), nic("0", 0, 72), nic("1")));

    @Test
    void countsCapacityWithReservedCpusAndTakesHeldOnesFromTheAvailable() {
        NodeTopology topology = assemble(KubeletSettings.UNKNOWN, pod(CpuSet.of(1, 2), gpu("0", 0), nic("0", 0, 72)));
        assertThat(topology.zones())
                .extracting(NodeTopology.Zone::name)
                .containsExactly("node-0", "node-72", "node-250");
        assertThat(topology.zones().get(0).resources())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of(
                        "cpu", new ZoneResource(4000, 3000, 1000),
                        "memory", new ZoneResource(16 * GIB, 14 * GIB, 14 * GIB),
                        "hugepages-2Mi", new ZoneResource(GIB, GIB, GIB),
                        "nvidia.com/gpu", new ZoneResource(2, 2, 1),
                        "x/nic", new ZoneResource(1, 1, 0))));
        assertThat(topology.zones().get(1).resources())
                .containsEntry("cpu", new ZoneResource(4000, 4000, 4000))
                .containsEntry("x/nic", new ZoneResource(1, 1, 0));
        assertThat(topology.zones().get(2).resources()).isEmpty();
        assertThat(topology.zones().get(0).costs()).containsEntry("node-0", 10L).containsEntry("node-72", 21L);
    }

    @Test
    void countsAHeldDeviceThatIsNotHealthyAsCapacityAlone() {
        NodeTopology topology = assemble(KubeletSettings.UNKNOWN, pod(CpuSet.EMPTY, gpu("9", 72)));
        assertThat(topology.zones().get(1).resources()).containsEntry("nvidia.com/gpu", new ZoneResource(2, 1, 1));
        assertThat(topology.attributes()).containsEntry("unhealthyDevices", "{\"nvidia.com/gpu\":[\"9\"]}");
        assertThat(UnhealthyDevices.of(topology).contains("nvidia.com/gpu", "9"))
                .isTrue();
    }

    /** CPUs 6 and 7 went offline; the kubelet has not restarted, and has given 7 to a pod. */
    @Test
    void namesCpusThatAreOfflineAndThatTheKubeletStillGivesOut() {
        MachineTopology smaller = new MachineTopology(
                CpuSet.range(0, 5),
                List.of(
                        node(0, "0-3", Map.of(0, 10, 72, 21), Map.of()),
                        node(72, "4-5", Map.of(0, 21, 72, 10), Map.of())),
                List.of());
        List<PodAllocation> pods = List.of(pod(CpuSet.of(5, 7)));
        TopologyAssembler offline = new TopologyAssembler(smaller, KubeletSettings.UNKNOWN);

        assertThat(offline.assemble("n", Optional.empty(), ALLOCATABLE, pods, List.of())
                        .attributes())
                .containsEntry("offlineCpus", "6-7");
        AllocatableResources restarted = new AllocatableResources(CpuSet.range(1, 5), List.of(), List.of());
        assertThat(offline.assemble("n", Optional.empty(), restarted, pods, List.of())
                        .attributes())
                .as("held by a pod")
                .containsEntry("offlineCpus", "7");
        assertThat(assemble(KubeletSettings.UNKNOWN, pod(CpuSet.of(5, 7))).attributes())
                .doesNotContainKey("offlineCpus");
    }

    /** As the kubelet writes them after a plugin that reports other NUMA nodes for a device of the same id has replaced the first. */
    @Test
    void countsAHealthyDeviceWhereItsPluginReportsItNowAndAsHeld() {
        NodeTopology topology = assemble(KubeletSettings.UNKNOWN, pod(CpuSet.EMPTY, nic("0", 72)));
        assertThat(topology.attributes())
                .containsEntry("devicesBeyondOneZone", "x/nic@0,72=1/1;x/nic@=1/1")
                .doesNotContainKey("unhealthyDevices");
        assertThat(topology.zones().get(0).resources()).containsEntry("x/nic", new ZoneResource(1, 1, 0));
    }

    /** The kubelet lists a held device on NUMA node -1 like one without topology. */
    @Test
    void publishesDevicesOnNumaNodesThatTheMachineLacks() {
        AllocatableResources allocatable = new AllocatableResources(
                CpuSet.EMPTY,
                List.of(),
                List.of(nic("a", 9), nic("b", -1), nic("c", 9, 200), nic("d"), nic("e", 0, 9)));
        NodeTopology topology = new TopologyAssembler(MACHINE, KubeletSettings.UNKNOWN)
                .assemble(
                        "n",
                        Optional.empty(),
                        allocatable,
                        List.of(pod(CpuSet.EMPTY, nic("b"), nic("f", 9))),
                        List.of());
        assertThat(topology.attributes())
                .containsEntry("devicesBeyondOneZone", "x/nic@!=3/4;x/nic@0,9=1/1;x/nic@=1/1")
                .containsEntry("unhealthyDevices", "{\"x/nic\":[\"f\"]}");
        assertThat(DeviceGroup.of(topology).get(0)).isEqualTo(DeviceGroup.impossible("x/nic", 3, 4));
        assertThat(topology.zones().get(0).resources()).containsEntry("x/nic", new ZoneResource(1, 1, 1));
        assertThat(topology.zones().get(1).resources()).doesNotContainKey("x/nic");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "[]", "null", "{\"a\":null}", "{\"a\":[null]}", "{\"a\":[{}]}"})
    void readsNoUnhealthyDevicesFromATextOfAnotherForm(String text) {
        NodeTopology topology =
                new NodeTopology("n", Optional.empty(), new TreeMap<>(Map.of("unhealthyDevices", text)), List.of());
        assertThat(UnhealthyDevices.of(topology)).isEqualTo(UnhealthyDevices.NONE);
    }

    @Test
    void listsNoCpuAndNoMemoryWhereTheirManagersAreOff() {
        KubeletSettings off = settings("none", "None");
        NodeTopology topology = assemble(off, pod(CpuSet.EMPTY));
        assertThat(topology.zones().get(0).resources()).containsOnlyKeys("nvidia.com/gpu", "x/nic");
        assertThat(topology.zones().get(0).attributes())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of(
                        "cpus", "0-3", "memoryBytes", Long.toString(16 * GIB), "hugepages-2Mi", Long.toString(GIB))));
        assertThat(topology.zones().get(0).attributes()).doesNotContainKey("reservedSystemCPUs");
        assertThat(topology.attributes())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of(
                        "cpuManagerPolicy", "none",
                        "devicesBeyondOneZone", "x/nic@0,72=1/1;x/nic@=1/1",
                        "memoryManagerPolicy", "None")));
    }

    @Test
    void showsACpulessZoneOfAStaticCpuManagerWithoutCpu() {
        NodeTopology topology = assemble(settings("static", "Static"), pod(CpuSet.EMPTY));
        assertThat(topology.zones().get(2).resources()).isEmpty();
        assertThat(topology.zones().get(2).attributes()).containsEntry("cpus", "");
    }

    @Test
    void chargesWhatThePodsHoldThatAreNotListedForTheMoment() {
        Placement hidden = new Placement.Builder()
                .add(0, "cpu", 1000)
                .add(0, "nvidia.com/gpu", 1)
                .build();
        NodeTopology topology = new TopologyAssembler(MACHINE, KubeletSettings.UNKNOWN)
                .assemble("n", Optional.empty(), ALLOCATABLE, List.of(), List.of(hidden));
        assertThat(topology.zones().get(0).resources())
                .containsEntry("cpu", new ZoneResource(4000, 3000, 2000))
                .containsEntry("nvidia.com/gpu", new ZoneResource(2, 2, 1));
    }

    /** A kubelet does this where a sibling thread is offline (kubernetes #124066), or on cores of unequal thread counts. */
    @Test
    void countsACpuOfTwoPodsOnceAndAReservedOneNotAtAll() {
        List<PodAllocation> pods = List.of(pod(CpuSet.of(1, 2)), pod(CpuSet.of(0, 2, 4)));
        List<Placement> placements = new PlacementObserver(MACHINE, ALLOCATABLE.memory()).observe(pods, Map.of());
        Placement hidden = new Placement.Builder().add(72, "cpu", 1000).build();
        NodeTopology topology = new TopologyAssembler(MACHINE, KubeletSettings.UNKNOWN)
                .assemble(
                        "n",
                        Optional.empty(),
                        ALLOCATABLE,
                        pods,
                        List.of(placements.get(0), placements.get(1), hidden));
        assertThat(topology.zones().get(0).resources()).containsEntry("cpu", new ZoneResource(4000, 3000, 1000));
        assertThat(topology.zones().get(1).resources()).containsEntry("cpu", new ZoneResource(4000, 4000, 2000));
    }

    @Test
    void namesOptionsAfterTheKubeletsFields() {
        KubeletSettings settings = new KubeletSettings(
                Optional.of(TopologyPolicyName.RESTRICTED),
                Optional.of(TopologyScope.POD),
                new TreeMap<>(Map.of("prefer-closest-numa-nodes", "true")),
                Optional.of(CpuPolicy.STATIC),
                new TreeMap<>(Map.of("full-pcpus-only", "true")),
                Optional.of(MemoryPolicy.STATIC),
                new TreeMap<>(Map.of("PodLevelResourceManagers", true)));
        assertThat(assemble(settings, pod(CpuSet.EMPTY)).attributes())
                .containsExactlyEntriesOf(new TreeMap<>(Map.of(
                        "topologyManagerPolicy", "restricted",
                        "topologyManagerScope", "pod",
                        "topologyManagerOptionPreferClosestNumaNodes", "true",
                        "cpuManagerPolicy", "static",
                        "cpuManagerPolicyOptionFullPcpusOnly", "true",
                        "devicesBeyondOneZone", "x/nic@0,72=1/1;x/nic@=1/1",
                        "featureGatePodLevelResourceManagers", "true",
                        "memoryManagerPolicy", "Static")));
    }

    @Test
    void readsTheKubeletsSettingsBackFromTheAttributes() {
        KubeletSettings settings = new KubeletSettings(
                Optional.of(TopologyPolicyName.RESTRICTED),
                Optional.empty(),
                new TreeMap<>(Map.of("prefer-closest-numa-nodes", "true", "max-allowable-numa-nodes", "16")),
                Optional.of(CpuPolicy.STATIC),
                new TreeMap<>(Map.of("prefer-align-cpus-by-uncorecache", "true")),
                Optional.empty(),
                new TreeMap<>(Map.of("PodLevelResources", false)));
        assertThat(TopologyAttributes.read(TopologyAttributes.of(settings))).isEqualTo(settings);
    }

    @Test
    void describesCoresSocketsAndCachesOfAZone() {
        MachineTopology machine = new MachineTopology(
                CpuSet.range(0, 7),
                List.of(node(0, "0-7", Map.of(), Map.of())),
                IntStream.range(0, 8)
                        .mapToObj(cpu ->
                                new LogicalCpu(cpu, OptionalInt.of(1), cpu % 4, OptionalInt.of(cpu % 4 < 2 ? 0 : 7)))
                        .toList());
        NodeTopology topology = new TopologyAssembler(machine, settings("static", "None"))
                .assemble(
                        "n",
                        Optional.empty(),
                        new AllocatableResources(CpuSet.range(2, 7), List.of(), List.of()),
                        List.of(),
                        List.of());
        assertThat(topology.zones().get(0).attributes())
                .containsEntry("reservedSystemCPUs", "0-1")
                .containsEntry("cores", "0:0,4;1:1,5;2:2,6;3:3,7")
                .containsEntry("sockets", "1:0-7")
                .containsEntry("l3Caches", "0:0-1,4-5;7:2-3,6-7");
    }

    @Test
    void readsBackWhatItWrites() throws Exception {
        NodeTopology topology = new TopologyAssembler(MACHINE, settings("static", "Static"))
                .assemble("n", Optional.of(NodeTopology.Owner.node("n", "uid")), ALLOCATABLE, List.of(), List.of());
        String text = NodeTopologyJson.write(topology);
        assertThat(NodeTopologyJson.read(text)).isEqualTo(topology);
        assertThat(text)
                .startsWith("{\"apiVersion\":\"topology.node.k8s.io/v1alpha2\",\"kind\":\"NodeResourceTopology\","
                        + "\"metadata\":{\"name\":\"n\",\"ownerReferences\":[{\"apiVersion\":\"v1\",\"kind\":\"Node\","
                        + "\"name\":\"n\",\"uid\":\"uid\"}]},\"attributes\":[{\"name\":\"cpuManagerPolicy\"")
                .contains("{\"name\":\"cpu\",\"capacity\":\"4\",\"allocatable\":\"3\",\"available\":\"3\"}");
    }

    @Test
    void saysTheSameAsOneThatAssemblesForTheFirstTimeAlsoWherePodsShareCpus() {
        Random random = new Random(3);
        TopologyAssembler assembler = new TopologyAssembler(MACHINE, KubeletSettings.UNKNOWN);
        for (int i = 0; i < 200; i++) {
            CpuSet usable = CpuSet.range(random.nextInt(3), 7);
            AllocatableResources allocatable =
                    new AllocatableResources(usable, ALLOCATABLE.memory(), ALLOCATABLE.devices());
            List<PodAllocation> pods = random.ints(random.nextInt(4), 0, 256)
                    .mapToObj(bits -> pod(CpuSet.parseMask(Integer.toHexString(bits))))
                    .toList();
            List<Placement> placements =
                    new ArrayList<>(new PlacementObserver(MACHINE, List.of()).observe(pods, Map.of()));
            long unlisted = random.nextInt(2) * 1000L;
            placements.add(new Placement.Builder().add(0, "cpu", unlisted).build());

            NodeTopology topology = assembler.assemble("n", Optional.empty(), allocatable, pods, placements);

            assertThat(topology)
                    .isEqualTo(new TopologyAssembler(MACHINE, KubeletSettings.UNKNOWN)
                            .assemble("n", Optional.empty(), allocatable, pods, placements));
            CpuSet free = pods.stream().map(PodAllocation::allCpus).reduce(usable, CpuSet::minus);
            long left = free.intersect(CpuSet.range(0, 3)).size() * 1000L;
            assertThat(topology.zones().get(0).resources().get("cpu").available())
                    .isEqualTo(Math.max(0, left - unlisted));
        }
    }

    private static NodeTopology assemble(KubeletSettings settings, PodAllocation pod) {
        List<Placement> placements =
                new PlacementObserver(MACHINE, ALLOCATABLE.memory()).observe(List.of(pod), Map.of());
        return new TopologyAssembler(MACHINE, settings)
                .assemble("n", Optional.empty(), ALLOCATABLE, List.of(pod), placements);
    }

    private static KubeletSettings settings(String cpuPolicy, String memoryPolicy) {
        return new KubeletSettings(
                Optional.empty(),
                Optional.empty(),
                new TreeMap<>(),
                Optional.of(CpuPolicy.parse(cpuPolicy)),
                new TreeMap<>(),
                Optional.of(MemoryPolicy.parse(memoryPolicy)));
    }

    private static PodAllocation pod(CpuSet cpus, DeviceAllocation... devices) {
        return new PodAllocation("a", "p", List.of(new ContainerAllocation("c", cpus, List.of(), List.of(devices))));
    }

    private static DeviceAllocation gpu(String id, Integer... nodes) {
        return new DeviceAllocation("nvidia.com/gpu", id, List.of(nodes));
    }

    private static DeviceAllocation nic(String id, Integer... nodes) {
        return new DeviceAllocation("x/nic", id, List.of(nodes));
    }

    private static NumaNode node(int id, String cpus, Map<Integer, Integer> distances, Map<Long, Long> hugepages) {
        return new NumaNode(
                id, CpuSet.parse(cpus), OptionalLong.of(16 * GIB), new TreeMap<>(hugepages), new TreeMap<>(distances));
    }
}
