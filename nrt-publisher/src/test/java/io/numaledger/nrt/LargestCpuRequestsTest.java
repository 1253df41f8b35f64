package io.numaledger.nrt;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.admission.StepResult;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.cpu.CpuAllocator;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.AffinityMask;
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
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** Against the kubelet model, which tries every number of CPUs. */
class LargestCpuRequestsTest {

    private static final int MOST = 40;

    static LongStream seeds() {
        return LongStream.range(0, 300);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void areTheLargestThatTheKubeletModelAdmits(long seed) {
        Random random = new Random(seed);
        Node node = new Node(random);
        node.fill(random);

        SortedMap<String, Long> found = LargestCpuRequests.of(node.published());

        for (NumaNode zone : node.machine.numaNodes()) {
            long largest = IntStream.range(1, MOST)
                    .filter(count -> node.takes(count, zone))
                    .max()
                    .orElse(0);
            assertThat(found).containsEntry(zone.zoneName(), largest);
            assertThat(node.cpus().largestRequest(node.state.cpus().orElseThrow(), zone.id()))
                    .isEqualTo((int) largest);
        }
    }

    @Test
    void areUnknownWithoutTheKubeletsConfiguration() {
        Node node = new Node(new Random(1));
        NodeTopology published = node.published();
        NodeTopology plain = new NodeTopology(published.node(), published.owner(), new TreeMap<>(), published.zones());

        assertThat(LargestCpuRequests.of(plain)).isEmpty();
    }

    /** One to three NUMA nodes of equal cores, one CPU or one core reserved. */
    private static final class Node {

        private final MachineTopology machine;
        private final SortedMap<String, String> options = new TreeMap<>();
        private final CpuSet reserved;
        private final KubeletModel model;
        private NodeState state;
        private final List<PodAllocation> pods = new ArrayList<>();

        private Node(Random random) {
            int threads = 1 + random.nextInt(2);
            int cpusPerZone = threads * (1 + random.nextInt(6));
            List<NumaNode> nodes = new ArrayList<>();
            List<LogicalCpu> cpus = new ArrayList<>();
            int zones = 1 + random.nextInt(3);
            for (int id = 0; id < zones; id++) {
                CpuSet own = CpuSet.range(id * cpusPerZone, (id + 1) * cpusPerZone - 1);
                OptionalInt socket = OptionalInt.of(id);
                own.ids().forEach(cpu -> cpus.add(new LogicalCpu(cpu, socket, cpu / threads, OptionalInt.empty())));
                nodes.add(new NumaNode(id, own, OptionalLong.of(1 << 30), new TreeMap<>(), new TreeMap<>()));
            }
            machine = new MachineTopology(CpuSet.range(0, cpus.size() - 1), nodes, cpus);
            reserved = CpuSet.range(0, random.nextInt(threads));
            if (random.nextInt(3) > 0) {
                options.put("full-pcpus-only", "true");
            }
            KubeletConfig config = new KubeletConfig(
                    new KubeletVersion(36),
                    TopologyManagerConfig.of(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.CONTAINER),
                    new CpuManagerConfig(CpuPolicy.STATIC, options, reserved, OptionalLong.empty()),
                    MemoryManagerConfig.OFF,
                    new TreeMap<>());
            model = KubeletModel.start(new Machine(machine, new TreeMap<>()), config);
            state = model.empty();
        }

        private CpuAllocator cpus() {
            return model.cpus().orElseThrow();
        }

        private void fill(Random random) {
            for (int i = random.nextInt(6); i > 0; i--) {
                Decision decision = model.admit(state, pod("p" + i, 1 + random.nextInt(4)));
                if (decision.admission() instanceof Admission.Admitted admitted) {
                    state = decision.state();
                    pods.add(new PodAllocation(
                            "default",
                            "p" + i,
                            List.of(new ContainerAllocation(
                                    "c", admitted.container("c").orElseThrow().cpus(), List.of(), List.of()))));
                }
            }
            state = model.removeStaleState(state);
        }

        private boolean takes(int count, NumaNode zone) {
            PodRequest pod = pod("tried", count);
            TopologyHint hint = new TopologyHint(Optional.of(AffinityMask.of(List.of(zone.id()))), true);
            StepResult<CpuState> result = cpus().allocate(
                            state.cpus().orElseThrow(),
                            pod,
                            pod.inAllocationOrder().get(0),
                            hint);
            return result.refused().isEmpty()
                    && zone.cpus().containsAll(result.state().heldBy("tried"));
        }

        private static PodRequest pod(String name, int count) {
            return PodRequest.of(
                    name,
                    ContainerRequest.app(
                            "c", Map.of("cpu", RequestedAmount.of(count), "memory", RequestedAmount.of(1))));
        }

        private NodeTopology published() {
            KubeletSettings settings = new KubeletSettings(
                    Optional.of(TopologyPolicyName.SINGLE_NUMA_NODE),
                    Optional.of(TopologyScope.CONTAINER),
                    new TreeMap<>(),
                    Optional.of(CpuPolicy.STATIC),
                    options,
                    Optional.empty());
            List<Placement> placements = new PlacementObserver(machine, List.of()).observe(pods, Map.of());
            return new TopologyAssembler(machine, settings)
                    .assemble(
                            "node",
                            Optional.empty(),
                            new AllocatableResources(machine.onlineCpus().minus(reserved), List.of(), List.of()),
                            pods,
                            placements);
        }
    }
}
