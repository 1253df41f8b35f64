package io.numaledger.kubelet;

import io.numaledger.kubelet.Admission.Refused;
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
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
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
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two NUMA nodes of four cores with two threads and 8 GiB each; CPU 0 and 1 GiB of node 0 reserved. */
class KubeletRestartTest {

    private static final long GIB = 1L << 30;

    /** @param offline a CPU that is not online */
    private static Machine machine(int offline) {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 16; cpu++) {
            if (cpu != offline) {
                cpus.add(new LogicalCpu(cpu, OptionalInt.of(cpu / 8), cpu / 2 * 2, OptionalInt.empty()));
            }
        }
        CpuSet online = CpuSet.range(0, 15).minus(offline < 0 ? CpuSet.EMPTY : CpuSet.of(offline));
        return Machine.of(new MachineTopology(
                online,
                List.of(node(0, online.intersect(CpuSet.range(0, 7))), node(1, online.intersect(CpuSet.range(8, 15)))),
                cpus));
    }

    private static NumaNode node(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.of(8 * GIB), new TreeMap<>(), new TreeMap<>());
    }

    private static KubeletModel kubelet(int minor, CpuManagerConfig cpu, MemoryManagerConfig memory) {
        return KubeletModel.start(
                machine(-1),
                new KubeletConfig(
                        new KubeletVersion(minor),
                        TopologyManagerConfig.of(TopologyPolicyName.BEST_EFFORT, TopologyScope.CONTAINER),
                        cpu,
                        memory));
    }

    private static CpuManagerConfig cpu(int reserved, String... options) {
        TreeMap<String, String> on = new TreeMap<>();
        for (String option : options) {
            on.put(option, "true");
        }
        return new CpuManagerConfig(CpuPolicy.STATIC, on, CpuSet.of(reserved), OptionalLong.empty());
    }

    private static MemoryManagerConfig memory(long gib) {
        return MemoryManagerConfig.staticPolicy(Map.of(0, gib * GIB));
    }

    private static PodRequest pod(String name, int cpus, int memoryGib) {
        return PodRequest.of(
                name,
                ContainerRequest.app(
                        "c", Map.of("cpu", RequestedAmount.of(cpus), "memory", RequestedAmount.of(memoryGib * GIB))));
    }

    private static NodeState after(KubeletModel kubelet, PodRequest... pods) {
        NodeState state = kubelet.empty();
        for (PodRequest pod : pods) {
            state = kubelet.admit(state, pod).state();
        }
        return state;
    }

    private static final KubeletModel BEFORE = kubelet(37, cpu(0), memory(1));

    @Test
    void startsOverItsOwnState() {
        NodeState state = after(BEFORE, pod("a", 3, 1), pod("b", 2, 9), pod("c", 7, 1));

        assertThat(KubeletRestart.over(BEFORE, state)).isEqualTo(state);
        assertThat(KubeletRestart.objection(BEFORE, state)).isEmpty();
    }

    @Test
    void keepsAllocationsThatItWouldNotMake() {
        NodeState state = after(BEFORE, pod("a", 3, 1));
        KubeletModel wholeCores = kubelet(37, cpu(0, "full-pcpus-only"), memory(1));

        assertThat(KubeletRestart.over(wholeCores, state)).isEqualTo(state);
    }

    /** 3 CPUs are no whole cores: before 1.37, the kubelet ends the pod. */
    @ParameterizedTest
    @ValueSource(ints = {36, 37})
    void saysWhichPodsEnd(int minor) {
        PodRequest a = pod("a", 3, 1);
        PodRequest b = pod("b", 2, 1);
        KubeletModel before = kubelet(minor, cpu(0), memory(1));
        KubeletModel wholeCores = kubelet(minor, cpu(0, "full-pcpus-only"), memory(1));
        NodeState state = after(before, a, b);

        KubeletRestart.Outcome outcome = KubeletRestart.over(wholeCores, state, List.of(a, b));

        assertThat(outcome.ended().keySet()).containsExactlyElementsOf(minor == 36 ? List.of("a") : List.of());
        assertThat(outcome.state().cpus().orElseThrow().byPod())
                .containsOnlyKeys(minor == 36 ? List.of("b") : List.of("a", "b"));
    }

    @Test
    void refusesAReservedCpuThatAPodHas() {
        NodeState state = after(BEFORE, pod("a", 3, 1));

        assertThat(KubeletRestart.objection(kubelet(37, cpu(3), memory(1)), state))
                .contains("not all reserved cpus: \"3\" are present in defaultCpuSet: \"0,4-15\"");
        assertThat(KubeletRestart.objection(kubelet(37, cpu(5), memory(1)), state))
                .isEmpty();
    }

    @Test
    void refusesASharedPoolThatStrictReservationForbids() {
        NodeState state = after(BEFORE, pod("a", 3, 1));

        assertThat(KubeletRestart.objection(kubelet(37, cpu(0, "strict-cpu-reservation"), memory(1)), state))
                .contains("some of strictly reserved cpus: \"0\" are present in defaultCpuSet: \"0,4-15\"");
    }

    @Test
    void refusesAnEmptySharedPool() {
        KubeletModel strict = kubelet(37, cpu(0, "strict-cpu-reservation"), memory(1));
        NodeState state = after(strict, pod("a", 7, 1), pod("b", 8, 1));

        assertThat(KubeletRestart.objection(strict, state)).contains("default cpuset cannot be empty");
    }

    @Test
    void refusesACpuThatAPodAndTheSharedPoolHave() {
        NodeState state = after(BEFORE, pod("a", 3, 1));
        var cpus = state.cpus().orElseThrow();
        NodeState twice = new NodeState(
                Optional.of(
                        new CpuState(cpus.shared().union(CpuSet.of(2)), cpus.byPod(), cpus.podCpus(), CpuSet.EMPTY)),
                state.memory(),
                state.devices(),
                state.stale());

        assertThat(KubeletRestart.objection(BEFORE, twice))
                .contains("pod: a, container: c cpuset: \"1-3\" overlaps with default cpuset \"0,2,4-15\"");
    }

    @Test
    void refusesOtherCpus() {
        KubeletModel now = KubeletModel.start(machine(9), BEFORE.rules().config());

        assertThat(KubeletRestart.objection(now, after(BEFORE, pod("a", 3, 1))))
                .contains("current set of available CPUs \"0-8,10-15\" doesn't match with CPUs in state \"0-15\"");
    }

    @Test
    void refusesOtherReservedMemory() {
        String different = "[memorymanager] the expected machine state is different from the real one";

        assertThat(KubeletRestart.objection(kubelet(37, cpu(0), memory(2)), BEFORE.empty()))
                .contains(different);
        assertThatThrownBy(() -> KubeletRestart.over(kubelet(37, cpu(0), memory(2)), after(BEFORE, pod("a", 3, 1))))
                .isInstanceOf(StartupRefusedException.class)
                .hasMessage(different);
    }

    /** a has 7 GiB of NUMA node 0 and 2 of 1, b 3 of 1. When a is gone, b's 3 GiB would be on NUMA node 0. Together both have the same. */
    @ParameterizedTest
    @ValueSource(ints = {31, 32})
    void comparesTheMemoryOfGroupsSince132(int minor) {
        KubeletModel kubelet = kubelet(minor, cpu(0), memory(1));
        NodeState state = after(kubelet, pod("a", 1, 9), pod("b", 1, 3));
        state = kubelet.removeStaleState(kubelet.ended(state, "a"));

        assertThat(KubeletRestart.objection(kubelet, state).isPresent()).isEqualTo(minor < 32);
    }

    @Test
    void refusesAnotherPolicy() {
        NodeState state = BEFORE.empty();

        assertThat(KubeletRestart.objection(kubelet(37, CpuManagerConfig.OFF, memory(1)), state))
                .contains(
                        "could not restore state from checkpoint: configured policy \"none\" differs from state checkpoint policy \"static\", please drain this node and delete the CPU manager checkpoint file \"/var/lib/kubelet/cpu_manager_state\" before restarting Kubelet");
        assertThat(KubeletRestart.objection(kubelet(37, cpu(0), MemoryManagerConfig.OFF), state))
                .contains(
                        "could not restore state from checkpoint: [memorymanager] configured policy \"None\" differs from state checkpoint policy \"Static\", please drain this node and delete the memory manager checkpoint file \"/var/lib/kubelet/memory_manager_state\" before restarting Kubelet");
    }

    /** The kubelet admits its pods again. Since 1.37 it first looks up what they have. */
    @ParameterizedTest
    @ValueSource(ints = {36, 37})
    void keepsAPodThatBreaksFullPcpusOnlySince137(int minor) {
        KubeletModel wholeCores = kubelet(minor, cpu(0, "full-pcpus-only"), memory(1));
        NodeState state = KubeletRestart.over(wholeCores, after(kubelet(minor, cpu(0), memory(1)), pod("a", 3, 1)));

        Admission again = wholeCores.admit(state, pod("a", 3, 1)).admission();

        assertThat(again.isAdmitted()).isEqualTo(minor >= 37);
        if (again instanceof Refused refused) {
            assertThat(refused.refusal().reason()).isEqualTo(Reason.SMT_ALIGNMENT);
        }
    }
}
