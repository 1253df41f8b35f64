package io.numaledger.fastpath;

import com.sun.management.ThreadMXBean;
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
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.TreeMap;

import static org.assertj.core.api.Assertions.assertThat;

/** Two zones of eight CPUs each; two CPUs of the first are reserved. */
class FastPathEvaluatorTest {

    private final ResourceIndex index = new ResourceIndex();
    private final FastPathEvaluator evaluator = new FastPathEvaluator();

    /** A node whose pods have taken all but this many of the 6 and 8 allocatable CPUs. */
    private final class Node {

        private final ZoneTable table;
        private final FastPathModel model;
        private final NodeCounts counts;

        Node(TopologyPolicyName policy, TopologyScope scope, int freeCpus0, int freeCpus1) {
            KubeletModel kubelet = KubeletModel.start(
                    Machine.of(machine()),
                    new KubeletConfig(
                            new KubeletVersion(KubeletVersion.NEWEST),
                            new TopologyManagerConfig(policy, scope, new TreeMap<>()),
                            new CpuManagerConfig(
                                    CpuPolicy.STATIC, new TreeMap<>(), CpuSet.range(0, 1), OptionalLong.empty()),
                            MemoryManagerConfig.OFF,
                            new TreeMap<>()));
            this.table = ZoneTable.of(kubelet);
            this.model = FastPathModel.of(kubelet, table, index).orElseThrow();
            NodeState state = kubelet.empty();
            long[] free = {freeCpus0, freeCpus1};
            this.counts = model.counts(state, free).orElseThrow();
        }

        Verdict evaluate(PodRequest pod) {
            return model.evaluate(evaluator, counts, CompiledPod.of(pod, index));
        }

        long[] place(PodRequest pod) {
            long[] taken = new long[table.zones()];
            evaluator.place(counts, CompiledPod.of(pod, index), taken);
            return taken;
        }
    }

    private static MachineTopology machine() {
        List<LogicalCpu> cpus = CpuSet.range(0, 15)
                .ids()
                .mapToObj(id -> new LogicalCpu(id, OptionalInt.of(id / 8), id, OptionalInt.empty()))
                .toList();
        return new MachineTopology(CpuSet.range(0, 15), List.of(numaNode(0), numaNode(1)), cpus);
    }

    private static NumaNode numaNode(int id) {
        return new NumaNode(
                id, CpuSet.range(8 * id, 8 * id + 7), OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }

    private static ContainerRequest container(String name, Kind kind, long cpus) {
        return new ContainerRequest(
                name,
                kind,
                Resources.equalTo(Map.of("cpu", RequestedAmount.of(cpus), "memory", RequestedAmount.of(1 << 20))));
    }

    private static PodRequest pod(long cpus) {
        return PodRequest.of("p", container("c", Kind.APP, cpus));
    }

    @Test
    void takesTheLowestZoneWithEnoughFree() {
        Node node = new Node(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.POD, 6, 8);

        assertThat(node.evaluate(pod(6))).isEqualTo(Verdict.ADMITTED);
        assertThat(evaluator.zones()).isEqualTo(0b01);
        assertThat(node.evaluate(pod(7))).isEqualTo(Verdict.ADMITTED);
        assertThat(evaluator.zones()).isEqualTo(0b10);
    }

    @Test
    void reservedCpusCountInThePreferredWidth() {
        Node node = new Node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 4);

        assertThat(node.evaluate(pod(8)))
                .as("8 CPUs would fit one empty zone, so two zones are not preferred")
                .isEqualTo(Verdict.NOT_ALIGNED);
        assertThat(node.evaluate(pod(9))).isEqualTo(Verdict.ADMITTED);
        assertThat(evaluator.zones()).isEqualTo(0b11);
    }

    @Test
    void takesWhollyFreeZonesFirst() {
        Node node = new Node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8);

        assertThat(node.evaluate(pod(10))).isEqualTo(Verdict.ADMITTED);
        assertThat(node.place(pod(10))).containsExactly(2, 8);
    }

    @Test
    void aLaterContainerReusesTheCpusOfAnInitContainer() {
        Node node = new Node(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.CONTAINER, 6, 4);
        PodRequest pod = new PodRequest(
                "p",
                QosClass.GUARANTEED,
                Optional.empty(),
                List.of(container("i", Kind.PLAIN_INIT, 4)),
                List.of(container("a", Kind.APP, 6)));

        assertThat(node.evaluate(pod)).isEqualTo(Verdict.ADMITTED);
        assertThat(evaluator.zones()).isEqualTo(0b01);
        assertThat(node.place(pod)).containsExactly(6, 0);
    }

    @Test
    void leavesReuseBySeveralContainersToTheFullModel() {
        Node node = new Node(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.CONTAINER, 6, 4);
        PodRequest pod = new PodRequest(
                "p",
                QosClass.GUARANTEED,
                Optional.empty(),
                List.of(container("i", Kind.PLAIN_INIT, 6)),
                List.of(container("a", Kind.APP, 2), container("b", Kind.APP, 4)));

        assertThat(node.evaluate(pod)).isEqualTo(Verdict.UNDECIDED);
    }

    @Test
    void ignoresResourcesThatTheNodeDoesNotAlign() {
        Node node = new Node(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.POD, 0, 2);
        PodRequest pod = PodRequest.of(
                "p",
                ContainerRequest.app(
                        "c",
                        Map.of(
                                "cpu", RequestedAmount.of(2),
                                "memory", RequestedAmount.of(1 << 20),
                                "example.com/unlisted", RequestedAmount.of(3))));

        assertThat(node.evaluate(pod)).isEqualTo(Verdict.ADMITTED);
        assertThat(evaluator.zones()).isEqualTo(0b10);
    }

    @Test
    void allocatesNoMemoryPerNode() {
        Node node = new Node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8);
        CompiledPod pod = CompiledPod.of(pod(10), index);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        int admitted = evaluate(node, pod, 100);

        long before = threads.getThreadAllocatedBytes(id);
        admitted += evaluate(node, pod, 10_000);
        long allocated = threads.getThreadAllocatedBytes(id) - before;

        assertThat(admitted).isEqualTo(10_100);
        assertThat(allocated).as("bytes for 10,000 nodes").isLessThan(10_000);
    }

    private int evaluate(Node node, CompiledPod pod, int times) {
        long[] taken = new long[2];
        int admitted = 0;
        for (int i = 0; i < times; i++) {
            admitted += node.model.evaluate(evaluator, node.counts, pod) == Verdict.ADMITTED ? 1 : 0;
            evaluator.place(node.counts, pod, taken);
        }
        return admitted;
    }
}
