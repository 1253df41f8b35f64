package io.numaledger.kubelet.cpu;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** The CPUs that a kubelet before 1.38 may give although they are held or reserved; later ones give none. */
class CpusGivenTwiceTest {

    private static final int PODS = 30;
    private static int given;

    static LongStream seeds() {
        return LongStream.range(0, 600);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noOtherCpuIsGivenThatIsNotFree(long seed) {
        Random random = new Random(seed);
        KubeletModel model = model(random);
        CpuAllocator cpus = model.cpus().orElseThrow();
        NodeState state = model.empty();
        List<String> running = new ArrayList<>();
        for (int i = 0; i < PODS; i++) {
            PodRequest pod = PodRequest.of(
                    "p" + i,
                    ContainerRequest.app(
                            "c",
                            Map.of("cpu", RequestedAmount.of(1 + random.nextInt(6)), "memory", RequestedAmount.of(1))));
            NodeState before = model.removeStaleState(state);
            Decision decision = model.admit(before, pod);
            state = decision.state();
            if (decision.admission() instanceof Admission.Admitted admitted) {
                running.add(pod.name());
                CpuSet free = before.cpus().orElseThrow().shared().minus(cpus.reserved());
                CpuSet twice = admitted.container("c").orElseThrow().cpus().minus(free);
                assertThat(twice.minus(cpus.maybeGivenTwice())).hasToString("");
                given += twice.size();
            }
            if (random.nextInt(2) == 0 && !running.isEmpty()) {
                state = model.ended(state, running.remove(random.nextInt(running.size())));
            }
        }
    }

    @Test
    void someMachinesDoGiveCpusTwice() {
        given = 0;
        seeds().forEach(this::noOtherCpuIsGivenThatIsNotFree);

        assertThat(given).isGreaterThan(100);
    }

    /** One to three NUMA nodes of cores with one or two threads; a socket may have several of them. */
    private static KubeletModel model(Random random) {
        int numaNodes = 1 + random.nextInt(3);
        boolean oneSocket = random.nextInt(3) == 0;
        List<LogicalCpu> cpus = new ArrayList<>();
        List<NumaNode> nodes = new ArrayList<>();
        int next = 0;
        boolean equalCores = random.nextInt(3) == 0;
        for (int id = 0; id < numaNodes; id++) {
            int first = next;
            for (int core = 2 + random.nextInt(4); core > 0; core--) {
                int coreId = next;
                for (int thread = equalCores ? 2 : 1 + random.nextInt(2); thread > 0; thread--) {
                    cpus.add(new LogicalCpu(next++, OptionalInt.of(oneSocket ? 0 : id), coreId, OptionalInt.empty()));
                }
            }
            nodes.add(new NumaNode(
                    id, CpuSet.range(first, next - 1), OptionalLong.of(1 << 30), new TreeMap<>(), new TreeMap<>()));
        }
        TreeMap<String, String> options = new TreeMap<>();
        List<String> possible = List.of(
                "",
                "",
                "align-by-socket",
                "strict-cpu-reservation",
                "distribute-cpus-across-cores",
                "distribute-cpus-across-numa");
        String option = possible.get(random.nextInt(possible.size()));
        TopologyPolicyName policy = List.of(TopologyPolicyName.values()).get(random.nextInt(4));
        if (!option.isEmpty() && !(option.equals("align-by-socket") && policy == TopologyPolicyName.SINGLE_NUMA_NODE)) {
            options.put(option, "true");
        }
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36 + random.nextInt(3)),
                TopologyManagerConfig.of(policy, List.of(TopologyScope.values()).get(random.nextInt(2))),
                new CpuManagerConfig(CpuPolicy.STATIC, options, CpuSet.of(random.nextInt(next)), OptionalLong.empty()),
                MemoryManagerConfig.OFF,
                new TreeMap<>(Map.of("CPUManagerPolicyAlphaOptions", true)));
        return KubeletModel.start(
                new Machine(new MachineTopology(CpuSet.range(0, next - 1), nodes, cpus), new TreeMap<>()), config);
    }
}
