package io.numaledger.kubelet;

import io.numaledger.kubelet.admission.Refusal;
import io.numaledger.kubelet.admission.Refusal.Reason;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.StartupRefusedException;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.device.DevicePreference;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.MemoryBlock;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two NUMA nodes of four one-thread cores and 8 GiB each, two GPUs each; CPU 0 and 1 GiB of node 0 reserved. */
class KubeletModelTest {

    private static final long GIB = 1L << 30;

    private static Machine machine(int secondId) {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 8; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(cpu / 4), cpu, OptionalInt.empty()));
        }
        TreeMap<String, List<Device>> devices = new TreeMap<>();
        devices.put(
                "nvidia.com/gpu",
                List.of(
                        new Device("gpu-0", AffinityMask.of(0), true),
                        new Device("gpu-1", AffinityMask.of(0), true),
                        new Device("gpu-2", AffinityMask.of(1), true),
                        new Device("gpu-3", AffinityMask.of(1), true)));
        List<NumaNode> nodes = List.of(node(0, CpuSet.range(0, 3)), node(secondId, CpuSet.range(4, 7)));
        return new Machine(new MachineTopology(CpuSet.range(0, 7), nodes, cpus), devices);
    }

    private static NumaNode node(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.of(8 * GIB), new TreeMap<>(), new TreeMap<>());
    }

    private static KubeletModel model(TopologyPolicyName policy) {
        return KubeletModel.start(machine(1), config(policy));
    }

    private static KubeletConfig config(TopologyPolicyName policy) {
        return new KubeletConfig(
                new KubeletVersion(36),
                TopologyManagerConfig.of(policy, TopologyScope.POD),
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.staticPolicy(Map.of(0, GIB)));
    }

    private static PodRequest pod(String name, long cpus, long memoryGib, long gpus) {
        Map<String, RequestedAmount> requests = new TreeMap<>();
        requests.put("cpu", RequestedAmount.of(cpus));
        requests.put("memory", RequestedAmount.of(memoryGib * GIB));
        if (gpus > 0) {
            requests.put("nvidia.com/gpu", RequestedAmount.of(gpus));
        }
        return PodRequest.of(name, ContainerRequest.app("c", requests));
    }

    @Test
    void placesTheFirstPodOnTheLowestNumaNodeWithRoom() {
        KubeletModel model = model(TopologyPolicyName.SINGLE_NUMA_NODE);

        Decision decision = model.admit(model.empty(), pod("a", 4, 2, 1));

        PredictedContainer container =
                ((Admission.Admitted) decision.admission()).container("c").orElseThrow();
        assertThat(container.cpus()).isEqualTo(CpuSet.range(4, 7));
        assertThat(container.memory()).containsExactly(new MemoryBlock("memory", 2 * GIB, List.of(1)));
        assertThat(container.deviceCounts()).containsOnly(Map.entry("nvidia.com/gpu", new TreeMap<>(Map.of(2L, 1))));
    }

    @Test
    void reportsTheMissingResourceAndItsHolders() {
        KubeletModel model = model(TopologyPolicyName.RESTRICTED);
        NodeState state = model.admit(model.empty(), pod("a", 4, 2, 1)).state();

        Admission admission = model.admit(state, pod("b", 4, 2, 0)).admission();

        var refusal = admission.refused().orElseThrow();
        assertThat(refusal.reason()).isEqualTo(Reason.TOPOLOGY_AFFINITY);
        assertThat(refusal.message()).hasValue("Resources cannot be allocated with Topology locality");
        assertThat(refusal.resources())
                .extracting(Object::toString)
                .contains("resource=cpu mask={0} need=4 free=3 width=1 holders=[]");
    }

    @Test
    void takesTheAlignedDevicesThatThePluginPrefers() {
        // The plugin wants the highest ids, and one that is not among those it was asked about.
        DevicePreference highest = (available, mustInclude, size) -> new TreeSet<>(
                Stream.concat(new TreeSet<>(available).descendingSet().stream().limit(size), Stream.of("gpu-9"))
                        .toList());
        KubeletModel model = KubeletModel.start(
                machine(1).withPreferences(new TreeMap<>(Map.of("nvidia.com/gpu", highest))),
                config(TopologyPolicyName.SINGLE_NUMA_NODE));

        Decision one = model.admit(model.empty(), pod("a", 1, 1, 1));
        Decision rest = model.admit(one.state(), pod("b", 1, 1, 1));
        Decision wide = KubeletModel.start(model.machine(), config(TopologyPolicyName.NONE))
                .admit(model.empty(), pod("c", 1, 1, 3));

        assertThat(ids(one)).containsExactly("gpu-1");
        assertThat(ids(rest)).containsExactly("gpu-0");
        assertThat(ids(wide)).containsExactly("gpu-1", "gpu-2", "gpu-3");
        assertThat(((Admission.Admitted) wide.admission()).undetermined()).isEmpty();
    }

    private static List<String> ids(Decision decision) {
        return ((Admission.Admitted) decision.admission())
                .container("c").orElseThrow().devices().stream()
                        .map(DeviceAllocation::deviceId)
                        .toList();
    }

    @Test
    void freesTheResourcesOfAnEndedPodBeforeTheNextAdmission() {
        KubeletModel model = model(TopologyPolicyName.SINGLE_NUMA_NODE);
        NodeState full = model.admit(model.empty(), pod("a", 4, 8, 2)).state();

        NodeState after = model.removeStaleState(model.ended(full, "a"));

        assertThat(after).isEqualTo(model.empty());
        assertThat(model.admit(model.ended(full, "a"), pod("b", 4, 8, 2))
                        .admission()
                        .isAdmitted())
                .isTrue();
    }

    @Test
    void reportsDevicesThatTheKubeletChoosesAtRandom() {
        KubeletModel model = model(TopologyPolicyName.BEST_EFFORT);

        Admission admission = model.admit(model.empty(), pod("a", 5, 2, 3)).admission();

        assertThat(((Admission.Admitted) admission).undetermined())
                .extracting(Object::toString)
                .containsExactly("UndeterminedChoice[pod=a, container=c, resource=nvidia.com/gpu, chosen=3, from=4]");
    }

    @ParameterizedTest(name = "seed {0}")
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void ignoresTheOrderInWhichAMachineIsDescribed(long seed) {
        Random random = new Random(seed);
        KubeletModel model = model(TopologyPolicyName.BEST_EFFORT);
        KubeletModel other = KubeletModel.start(shuffled(machine(1), random), config(TopologyPolicyName.BEST_EFFORT));
        NodeState state = model.empty();
        for (int i = 0; i < 10; i++) {
            PodRequest pod = pod("p" + i, random.nextInt(5), random.nextInt(6), random.nextInt(3));
            Decision decision = model.admit(state, pod);

            assertThat(other.admit(state, pod)).isEqualTo(decision);
            state = decision.state();
        }
    }

    private static Machine shuffled(Machine machine, Random random) {
        MachineTopology topology = machine.topology();
        List<NumaNode> nodes = new ArrayList<>(topology.numaNodes());
        List<LogicalCpu> cpus = new ArrayList<>(topology.cpus());
        TreeMap<String, List<Device>> devices = new TreeMap<>();
        Collections.shuffle(nodes, random);
        Collections.shuffle(cpus, random);
        machine.devices().forEach((resource, list) -> {
            List<Device> copy = new ArrayList<>(list);
            Collections.shuffle(copy, random);
            devices.put(resource, copy);
        });
        return new Machine(new MachineTopology(topology.onlineCpus(), nodes, cpus), devices);
    }

    @Test
    void restoresObservedAllocations() {
        KubeletModel model = model(TopologyPolicyName.SINGLE_NUMA_NODE);
        Decision decision = model.admit(model.empty(), pod("ns/a", 2, 2, 1));

        NodeState observed = model.holding(List.of(observed(CpuSet.range(1, 2), "gpu-0")));

        assertThat(observed).isEqualTo(decision.state());
    }

    private static PodAllocation observed(CpuSet cpus, String gpu) {
        return new PodAllocation(
                "ns",
                "a",
                List.of(new ContainerAllocation(
                        "c",
                        cpus,
                        List.of(new MemoryBlock("memory", 2 * GIB, List.of(0))),
                        List.of(new DeviceAllocation("nvidia.com/gpu", gpu, List.of(0))))));
    }

    /** The pod has 3 CPUs and 2 GiB of its own; container c has 2 and 1 of them, container d shares the rest. */
    @Test
    void restoresAPodThatIsListedAsAWhole() {
        KubeletModel model = managingPodsAsAWhole(37, TopologyPolicyName.SINGLE_NUMA_NODE);
        PodRequest request = ofPods(
                pod("ns/a", 3, 2, 0),
                pod("a", 2, 1, 0).containers().get(0),
                new ContainerRequest("d", ContainerRequest.Kind.APP, Resources.NONE));
        Decision decision = model.admit(model.empty(), request);

        PodAllocation listed = model.listed(request, (Admission.Admitted) decision.admission());
        NodeState restored = model.holding(List.of(listed));

        assertThat(listed.cpus()).isEqualTo(CpuSet.range(1, 3));
        assertThat(listed.containers())
                .extracting(each -> each.cpus().toString())
                .containsExactly("1-2", "");
        assertThat(restored.anonymous()).isEqualTo(decision.state().anonymous());
        assertThat(model.removeStaleState(model.ended(restored, "ns/a"))).isEqualTo(model.empty());
    }

    private static KubeletModel managingPodsAsAWhole(int minor, TopologyPolicyName policy) {
        return KubeletModel.start(
                machine(1),
                new KubeletConfig(
                        new KubeletVersion(minor),
                        TopologyManagerConfig.of(policy, TopologyScope.POD),
                        CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                        MemoryManagerConfig.staticPolicy(Map.of(0, GIB)),
                        new TreeMap<>(Map.of("PodLevelResourceManagers", true))));
    }

    /** A pod that requests as a whole what another has in its container. */
    private static PodRequest ofPods(PodRequest total, ContainerRequest... containers) {
        return new PodRequest(
                total.name(),
                QosClass.GUARANTEED,
                Optional.of(total.containers().get(0).resources()),
                List.of(),
                List.of(containers));
    }

    /** Before 1.38, a kubelet with policy best-effort gives the pod other CPUs, too. */
    @ParameterizedTest(name = "1.{0}")
    @CsvSource(delimiter = '|', textBlock = """
            37 | 0,7
            38 | 0,4-7
            """)
    void leavesAPodAsAWholeWhatItHasFrom138On(int minor, String shared) {
        KubeletModel model = managingPodsAsAWhole(minor, TopologyPolicyName.BEST_EFFORT);
        PodRequest request = ofPods(
                pod("a", 3, 2, 0),
                pod("a", 2, 1, 0).containers().get(0),
                new ContainerRequest("d", ContainerRequest.Kind.APP, Resources.NONE));
        NodeState before = model.admit(model.empty(), request).state();

        NodeState again = model.admit(before, request).state();

        assertThat(again.cpus().orElseThrow().shared()).isEqualTo(CpuSet.parse(shared));
        assertThat(again.equals(before)).isEqualTo(minor >= 38);
    }

    /** The other kubelet reads the parts of the containers, and not the whole of the pod. */
    @ParameterizedTest(name = "1.{0} before 1.{1}")
    @CsvSource({"37, 36, true", "36, 37, false", "37, 38, false", "36, 36, false"})
    void doesNotStartOverPodsThatItDoesNotRead(int before, int after, boolean refuses) {
        KubeletModel first = managingPodsAsAWhole(before, TopologyPolicyName.RESTRICTED);
        KubeletModel next = managingPodsAsAWhole(after, TopologyPolicyName.RESTRICTED);
        NodeState written = first.admit(
                        first.empty(),
                        ofPods(
                                pod("a", 3, 2, 0),
                                pod("a", 2, 1, 0).containers().get(0),
                                new ContainerRequest("d", ContainerRequest.Kind.APP, Resources.NONE)))
                .state();

        NodeState read = KubeletRestart.read(
                written, first.rules().version(), next.rules().version());

        assertThat(KubeletRestart.obstacles(next, read))
                .isEqualTo(refuses ? Set.of(KubeletRestart.StateFile.MEMORY) : Set.of());
    }

    /** A pod of another instance has left CPUs of its second container only. */
    @Test
    void releasesCpusOfAPodWhoseFirstContainerHasNone() {
        KubeletModel model = managingPodsAsAWhole(38, TopologyPolicyName.RESTRICTED);
        ContainerRequest shares = new ContainerRequest("d", ContainerRequest.Kind.APP, Resources.NONE);
        NodeState before =
                model.admit(model.empty(), ofPods(pod("a", 3, 2, 0), shares)).state();
        PodRequest other =
                ofPods(pod("a", 3, 2, 0), pod("a", 2, 1, 0).containers().get(0), shares);

        NodeState after = model.admit(before, other).state();

        assertThat(after.cpus())
                .isEqualTo(model.admit(model.empty(), other).state().cpus());
    }

    /** The two containers request five CPUs of the four that the pod has. */
    @ParameterizedTest(name = "1.{0}")
    @CsvSource(delimiter = '|', textBlock = """
            37 | 0-3
            38 | 0-7
            """)
    void returnsTheCpusOfAPodThatCannotBeDivided(int minor, String shared) {
        KubeletModel model = managingPodsAsAWhole(minor, TopologyPolicyName.RESTRICTED);
        ContainerRequest second = ContainerRequest.app(
                "d", pod("a", 2, 1, 0).containers().get(0).resources().requests());
        PodRequest request =
                ofPods(pod("a", 4, 2, 0), pod("a", 3, 1, 0).containers().get(0), second);

        Decision decision = model.admit(model.empty(), request);
        NodeState after = model.removeStaleState(decision.state());

        assertThat(decision.admission().refused().orElseThrow().message())
                .hasValue(
                        "Allocate failed due to not enough cpus available to satisfy request: requested=2, available=1, which is unexpected");
        assertThat(after.cpus().orElseThrow().shared()).isEqualTo(CpuSet.parse(shared));
    }

    @Test
    void rejectsImpossibleAllocations() {
        KubeletModel model = model(TopologyPolicyName.SINGLE_NUMA_NODE);

        assertThatThrownBy(() -> model.holding(List.of(observed(CpuSet.of(99), "gpu-0"))))
                .hasMessage("a container holds CPUs that this machine does not have: pod=ns/a container=c cpus=99;"
                        + " check whether it is recorded for another node");
        assertThatThrownBy(() -> model.holding(List.of(observed(CpuSet.of(0), "gpu-0"))))
                .hasMessage("a container holds CPUs that are reserved or held by another: pod=ns/a container=c cpus=0;"
                        + " read the node's allocations again");
        assertThatThrownBy(() -> model.holding(List.of(observed(CpuSet.of(1), "gpu-9"))))
                .hasMessage("a container holds a device that this machine does not have: pod=ns/a container=c"
                        + " resource=nvidia.com/gpu id=gpu-9; check whether it is recorded for another node");
    }

    /** Three cores of two threads, CPU 0 reserved: a pod of two cores leaves fewer free CPUs in whole cores than it has. */
    @ParameterizedTest(name = "1.{0}")
    @CsvSource(delimiter = '|', textBlock = """
            36 | SMT Alignment Error: not enough free physical CPUs: available physical CPUs = 0, requested CPUs = 4, CPUs per core = 2
            37 | admitted
            """)
    void admitsARunningPodAgainAfterARestartWithFullCores(int minor, String answer) {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 6; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(0), cpu / 2 * 2, OptionalInt.empty()));
        }
        MachineTopology topology = new MachineTopology(CpuSet.range(0, 5), List.of(node(0, CpuSet.range(0, 5))), cpus);
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(minor),
                TopologyManagerConfig.OFF,
                new CpuManagerConfig(
                        CpuPolicy.STATIC,
                        new TreeMap<>(Map.of("full-pcpus-only", "true")),
                        CpuSet.of(0),
                        OptionalLong.empty()),
                MemoryManagerConfig.OFF);
        KubeletModel model = KubeletModel.start(Machine.of(topology), config);
        PodRequest pod = pod("a", 4, 1, 0);
        NodeState running = model.admit(model.empty(), pod).state();

        Admission again = model.admit(running, pod).admission();

        assertThat(
                        again.isAdmitted()
                                ? "admitted"
                                : again.refused().flatMap(Refusal::message).orElseThrow())
                .isEqualTo(answer);
    }

    @Test
    void rejectsAnUnknownPolicy() {
        assertThatThrownBy(() -> TopologyPolicyName.parse("strict"))
                .hasMessage("unknown value: topologyManagerPolicy='strict'; use one of"
                        + " [none, best-effort, restricted, single-numa-node]");
    }

    @Test
    void doesNotStartWhereTheKubeletWouldNot() {
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36),
                TopologyManagerConfig.OFF,
                CpuManagerConfig.staticPolicy(CpuSet.EMPTY),
                MemoryManagerConfig.OFF);

        assertThatThrownBy(() -> KubeletModel.start(machine(1), config))
                .isInstanceOf(StartupRefusedException.class)
                .hasMessage("[cpumanager] unable to determine reserved CPU resources for static policy");
    }

    @Test
    void reportsAnUnsupportedMachine() {
        KubeletModel model = KubeletModel.start(machine(250), config(TopologyPolicyName.RESTRICTED));

        Decision decision = model.admit(model.empty(), pod("a", 1, 1, 0));

        assertThat(decision.admission())
                .isEqualTo(
                        new Admission.Unsupported(
                                "the kubelet's masks end at NUMA node id 63: numaNode=250; nothing can be aligned on this machine"));
        assertThat(model.removeStaleState(model.ended(decision.state(), "a"))).isEqualTo(model.empty());
    }

    @Test
    void looksAtNoHighNumaNodesWhereNothingIsAligned() {
        Machine two = machine(1);
        List<NumaNode> nodes = new ArrayList<>(two.topology().numaNodes());
        nodes.add(node(252, CpuSet.EMPTY));
        Machine machine = new Machine(
                new MachineTopology(
                        two.topology().onlineCpus(), nodes, two.topology().cpus()),
                two.devices());
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36),
                TopologyManagerConfig.OFF,
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.OFF);
        KubeletModel model = KubeletModel.start(machine, config);

        Decision decision = model.admit(model.empty(), pod("a", 2, 1, 1));

        assertThat(decision.admission())
                .isInstanceOfSatisfying(
                        Admission.Admitted.class,
                        admitted -> assertThat(
                                        admitted.container("c").orElseThrow().cpus())
                                .isEqualTo(CpuSet.range(1, 2)));
        assertThat(KubeletModel.start(machine, config(TopologyPolicyName.RESTRICTED))
                        .unsupported())
                .isPresent();
    }

    @Test
    void reportsMemoryThatWrapsAroundOnManyNumaNodes() {
        List<NumaNode> nodes = new ArrayList<>();
        for (int id = 0; id < 12; id++) {
            nodes.add(node(id, id == 0 ? CpuSet.range(0, 7) : CpuSet.EMPTY));
        }
        Machine machine = Machine.of(new MachineTopology(
                CpuSet.range(0, 7), nodes, machine(1).topology().cpus()));
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36),
                new TopologyManagerConfig(
                        TopologyPolicyName.RESTRICTED,
                        TopologyScope.POD,
                        new TreeMap<>(Map.of("max-allowable-numa-nodes", "12"))),
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.staticPolicy(Map.of(3, 1000 * GIB)));

        assertThat(KubeletModel.start(machine, config).unsupported())
                .contains(
                        "more memory is reserved than the NUMA node has, and the kubelet's number wraps around: numaNode=3; correct reservedMemory");
    }

    /** Twelve NUMA nodes with ids 0, 2, 4 and so on. */
    @Test
    void reportsDistancesThatTheKubeletWouldReadInTheWrongColumn() {
        List<NumaNode> nodes = new ArrayList<>();
        for (int id = 0; id < 24; id += 2) {
            TreeMap<Integer, Integer> row = new TreeMap<>();
            for (int to = 0; to < 24; to += 2) {
                row.put(to, 10);
            }
            CpuSet cpus = id == 0 ? CpuSet.range(0, 7) : CpuSet.EMPTY;
            nodes.add(new NumaNode(id, cpus, OptionalLong.of(GIB), new TreeMap<>(), row));
        }
        Machine machine = Machine.of(new MachineTopology(
                CpuSet.range(0, 7), nodes, machine(1).topology().cpus()));
        TopologyManagerConfig topologyManager = new TopologyManagerConfig(
                TopologyPolicyName.RESTRICTED,
                TopologyScope.POD,
                new TreeMap<>(Map.of("prefer-closest-numa-nodes", "true", "max-allowable-numa-nodes", "12")));
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36),
                topologyManager,
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.OFF);

        assertThat(KubeletModel.start(machine, config).unsupported())
                .contains(
                        "prefer-closest-numa-nodes reads distances by NUMA node id, and these ids have gaps: numaNodes=12; turn the option off on this machine");
    }

    @Test
    void reportsThatTheKubeletPanicsOnHugepagesThatTheNodeDoesNotHave() {
        KubeletModel model = model(TopologyPolicyName.RESTRICTED);
        PodRequest pod = PodRequest.of(
                "a",
                ContainerRequest.app(
                        "c",
                        Map.of(
                                "cpu", RequestedAmount.of(1),
                                "memory", RequestedAmount.of(GIB),
                                "hugepages-1Gi", RequestedAmount.of(GIB))));

        assertThat(model.admit(model.empty(), pod).admission())
                .isInstanceOfSatisfying(
                        Admission.KubeletFailure.class,
                        breaks -> assertThat(breaks.why()).contains("type=hugepages-1Gi"));
    }
}
