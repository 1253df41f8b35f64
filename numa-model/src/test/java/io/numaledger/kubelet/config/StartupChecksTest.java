package io.numaledger.kubelet.config;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

class StartupChecksTest {

    /** One NUMA node of two CPUs on two sockets. */
    private static final MachineTopology MACHINE = new MachineTopology(
            CpuSet.range(0, 1),
            List.of(new NumaNode(0, CpuSet.range(0, 1), OptionalLong.of(1 << 20), new TreeMap<>(), new TreeMap<>())),
            List.of(
                    new LogicalCpu(0, OptionalInt.of(0), 0, OptionalInt.empty()),
                    new LogicalCpu(1, OptionalInt.of(1), 1, OptionalInt.empty())));

    private static KubeletConfig config(
            int minor, String policy, Map<String, String> topologyOptions, Map<String, String> cpuOptions) {
        return new KubeletConfig(
                new KubeletVersion(minor),
                new TopologyManagerConfig(
                        TopologyPolicyName.parse(policy), TopologyScope.POD, new TreeMap<>(topologyOptions)),
                new CpuManagerConfig(CpuPolicy.STATIC, new TreeMap<>(cpuOptions), CpuSet.of(0), OptionalLong.empty()),
                MemoryManagerConfig.OFF,
                new TreeMap<>(Map.of("CPUManagerPolicyAlphaOptions", true)));
    }

    @ParameterizedTest(name = "1.{0} {1} {2}={3}")
    @CsvSource(delimiter = '|', textBlock = """
            36 | restricted | max-allowable-numa-nodes  | 7    | the minimum value of "max-allowable-numa-nodes" should not be less than 8
            36 | restricted | max-allowable-numa-nodes  | many | unable to convert policy option to integer "max-allowable-numa-nodes": strconv.Atoi: parsing "many": invalid syntax
            36 | restricted | prefer-closest-numa-nodes | yes  | bad value for option "prefer-closest-numa-nodes": strconv.ParseBool: parsing "yes": invalid syntax
            36 | restricted | prefer-closest-numa-nodes | true | cannot discover NUMA topology: error getting NUMA distances from cadvisor
            30 | restricted | max-allowable-numa-nodes  | 9    | unknown Topology Manager Policy option: "max-allowable-numa-nodes"
            """)
    void refusesTopologyManagerOptionsAsTheKubeletDoes(
            int minor, String policy, String option, String value, String message) {
        KubeletConfig config = config(minor, policy, Map.of(option, value), Map.of());

        assertThatThrownBy(() -> StartupChecks.rules(config, MACHINE))
                .isInstanceOf(StartupRefusedException.class)
                .hasMessage(message);
    }

    @ParameterizedTest(name = "1.{0} {2}={3}")
    @CsvSource(delimiter = '|', textBlock = """
            36 | none | align-by-socket | true | new static policy error: Align by socket is not compatible with hardware where number of sockets are more than number of NUMA
            36 | none | align-by-numa   | true | new static policy error: unknown CPU Manager Policy option: "align-by-numa"
            36 | none | full-pcpus-only | on   | new static policy error: bad value for option "full-pcpus-only": strconv.ParseBool: parsing "on": invalid syntax
            """)
    void refusesCpuManagerOptionsAsTheKubeletDoes(
            int minor, String policy, String option, String value, String message) {
        KubeletConfig config = config(minor, policy, Map.of(), Map.of(option, value));

        assertThatThrownBy(() -> StartupChecks.rules(config, MACHINE))
                .isInstanceOf(StartupRefusedException.class)
                .hasMessage(message);
    }

    @ParameterizedTest(name = "1.{0} {1}={2}")
    @CsvSource(delimiter = '|', textBlock = """
            33 | CPUManager               | true  | unrecognized feature gate: CPUManager
            35 | PodLevelResourceManagers | true  | unrecognized feature gate: PodLevelResourceManagers
            37 | SidecarContainers        | true  | unrecognized feature gate: SidecarContainers
            37 | NodeSwap                 | false | cannot set feature gate NodeSwap to false, feature is locked to true
            38 | InPlacePodVerticalScaling | true | unrecognized feature gate: InPlacePodVerticalScaling
            38 | DynamicResourceAllocation | true | unrecognized feature gate: DynamicResourceAllocation
            38 | NodeSwap                 | true  | unrecognized feature gate: NodeSwap
            38 | KubeletTracing           | true  | unrecognized feature gate: KubeletTracing
            36 | PodLevelResourcesFixKubeletQOSClass | false | unrecognized feature gate: PodLevelResourcesFixKubeletQOSClass
            36 | CPUManagerPolicyOptions  | false | cannot set feature gate CPUManagerPolicyOptions to false, feature is locked to true
            36 | PodLevelResources        | false | InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are disabled: [PodLevelResources]
            37 | PodLevelResources        | false | [InPlacePodLevelResourcesVerticalScaling is enabled, but depends on features that are disabled: [PodLevelResources], PodLevelResourcesFixDefaulting is enabled, but depends on features that are disabled: [PodLevelResources], PodLevelResourcesFixKubeletQOSClass is enabled, but depends on features that are disabled: [PodLevelResources]]
            """)
    void refusesFeatureGatesAsTheKubeletDoes(int minor, String gate, boolean on, String message) {
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(minor),
                new TopologyManagerConfig(TopologyPolicyName.NONE, TopologyScope.POD, new TreeMap<>()),
                CpuManagerConfig.OFF,
                MemoryManagerConfig.OFF,
                new TreeMap<>(Map.of(gate, on)));

        assertThatThrownBy(() -> StartupChecks.rules(config, MACHINE))
                .isInstanceOf(StartupRefusedException.class)
                .hasMessage(message);
    }

    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', textBlock = """
            static | reserved 7  | reserved-cpus: 7 is not a subset of online-cpus: 0-1
            static | nothing     | [cpumanager] unable to determine reserved CPU resources for static policy
            static | 0 CPUs      | [cpumanager] unable to determine reserved CPU resources for static policy
            none   | full cores  | new none policy error: None policy: received unsupported options=map[full-pcpus-only:true]
            """)
    void refusesCpuReservationsAsTheKubeletDoes(String policy, String situation, String message) {
        CpuManagerConfig cpus = new CpuManagerConfig(
                CpuPolicy.parse(policy),
                situation.equals("full cores") ? new TreeMap<>(Map.of("full-pcpus-only", "true")) : new TreeMap<>(),
                situation.equals("reserved 7") ? CpuSet.of(7) : CpuSet.EMPTY,
                situation.equals("0 CPUs") ? OptionalLong.of(0) : OptionalLong.empty());
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36),
                new TopologyManagerConfig(TopologyPolicyName.NONE, TopologyScope.POD, new TreeMap<>()),
                cpus,
                MemoryManagerConfig.OFF);

        assertThatThrownBy(() -> StartupChecks.rules(config, MACHINE))
                .isInstanceOf(StartupRefusedException.class)
                .hasMessage(message);
    }

    @Test
    void ignoresOptionsOfPolicyNoneFrom128On() {
        assertThat(StartupChecks.rules(config(36, "none", Map.of("anything", "goes"), Map.of()), MACHINE)
                        .prefersClosestNumaNodes())
                .isFalse();
    }

    @Test
    void refusesReservedMemoryOnANodeThatIsNotThere() {
        MemoryManagerConfig config = MemoryManagerConfig.staticPolicy(Map.of(3, 1024L));

        assertThatThrownBy(() -> StartupChecks.checkReservedMemory(config, MACHINE))
                .hasMessage(
                        "the reserved memory configuration references a NUMA node 3 that does not exist on this machine");
    }

    @Test
    void refusesVersionsThatAreTooOldToBeModelled() {
        assertThatThrownBy(() -> KubeletVersion.parse("v1.25.9"))
                .hasMessage("kubelets before 1.26 are not modelled: version=1.25;"
                        + " upgrade the node or leave it to the default scheduler");
        assertThat(KubeletVersion.parse("v1.38.1+k3s1").isLaterThanModelled()).isFalse();
        assertThat(KubeletVersion.parse("v1.39.0").isLaterThanModelled()).isTrue();
    }
}
