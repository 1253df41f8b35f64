package io.numaledger.counts;

import com.sun.management.ThreadMXBean;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
import org.junit.jupiter.api.Test;

import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two zones of eight CPUs, two of them reserved on the first, and four GPUs. */
class CountsEvaluatorTest {

    private static final String GPU = "nvidia.com/gpu";

    private final ResourceIndex index = new ResourceIndex();
    private final CountsEvaluator evaluator = new CountsEvaluator();

    private static SortedMap<Integer, SortedMap<String, ZoneCounts>> zones(long freeCpus0, long freeCpus1) {
        return new TreeMap<>(Map.of(
                0,
                new TreeMap<>(Map.of("cpu", cpus(6000, 1000 * freeCpus0), GPU, gpus(4))),
                1,
                new TreeMap<>(Map.of("cpu", cpus(8000, 1000 * freeCpus1), GPU, gpus(4)))));
    }

    private static ZoneCounts cpus(long allocatable, long available) {
        return new ZoneCounts(OptionalLong.of(8000), allocatable, available);
    }

    private static ZoneCounts gpus(long available) {
        return new ZoneCounts(OptionalLong.of(4), 4, available);
    }

    private NodeCounts node(TopologyPolicyName policy, TopologyScope scope, long freeCpus0, long freeCpus1) {
        return NodeCounts.of(NodeFacts.of(policy, scope, zones(freeCpus0, freeCpus1)), index);
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
    void takesTheLowestZoneThatHasRoom() {
        NodeCounts node = node(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.POD, 6, 8);

        assertThat(evaluator.verdict(node, PodAsk.of(pod(6), index))).isEqualTo(0b01);
        assertThat(evaluator.verdict(node, PodAsk.of(pod(7), index))).isEqualTo(0b10);
    }

    @Test
    void countsReservedCpusInTheWidth() {
        NodeCounts node = node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 4);

        assertThat(evaluator.verdict(node, PodAsk.of(pod(8), index)))
                .as("8 CPUs would fit one empty zone, so two are not preferred")
                .isEqualTo(CountsEvaluator.NOT_ALIGNED);
        assertThat(evaluator.verdict(node, PodAsk.of(pod(9), index))).isEqualTo(0b11);
    }

    @Test
    void placesWholeZonesFirst() {
        NodeCounts node = node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8);
        PodAsk ask = PodAsk.of(pod(10), index);
        long[] placement = new long[node.placementLength()];

        evaluator.place(node, ask, evaluator.verdict(node, ask), placement);

        int cpu = node.row(index.number("cpu")) * node.zones();
        assertThat(placement[cpu]).isEqualTo(2);
        assertThat(placement[cpu + 1]).isEqualTo(8);
        assertThat(node.moved(placement, -1).moved(placement, 1)).isEqualTo(node);
        assertThatThrownBy(() -> node.moved(placement, -1).moved(placement, -1))
                .hasMessageContaining("more is taken than is free: row=0 zone=1 missing=8");
    }

    @Test
    void letsLaterContainersHaveWhatAnInitContainerHad() {
        NodeCounts node = node(TopologyPolicyName.SINGLE_NUMA_NODE, TopologyScope.CONTAINER, 6, 4);
        PodRequest pod = new PodRequest(
                "p",
                QosClass.GUARANTEED,
                Optional.empty(),
                List.of(container("i", Kind.PLAIN_INIT, 6)),
                List.of(container("a", Kind.APP, 2), container("b", Kind.APP, 4)));

        PodAsk ask = PodAsk.of(pod, index);
        long[] placement = new long[node.placementLength()];
        evaluator.place(node, ask, evaluator.verdict(node, ask), placement);

        assertThat(evaluator.verdict(node, ask)).isEqualTo(0b01);
        assertThat(placement[node.row(index.number("cpu")) * node.zones()]).isEqualTo(6);
        assertThat(CountsAnswer.of(evaluator, node, ask).assumptions()).contains(Assumption.REUSE_FIRST);
    }

    @Test
    void namesWhatItTakesForGranted() {
        NodeCounts unknown = node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8);
        NodeCounts known = NodeCounts.of(
                new NodeFacts(
                        TopologyPolicyName.RESTRICTED,
                        TopologyScope.POD,
                        Optional.of(CpuPolicy.STATIC),
                        Optional.of(MemoryPolicy.NONE),
                        new TreeSet<>(Set.of(GPU)),
                        zones(6, 8)),
                index);

        assertThat(CountsAnswer.of(evaluator, unknown, PodAsk.of(pod(2), index)).assumptions())
                .containsExactly(
                        Assumption.CPU_MANAGER_STATIC, Assumption.DEVICES_ON_ONE_ZONE, Assumption.NO_POLICY_OPTIONS);
        assertThat(CountsAnswer.of(evaluator, known, PodAsk.of(pod(2), index)).assumptions())
                .doesNotContain(Assumption.CPU_MANAGER_STATIC);
        assertThat(Assumption.CPU_MANAGER_STATIC.sentence())
                .isEqualTo("the CPU Manager's policy is not known and taken as static, which refuses rather too much");
    }

    @Test
    void leavesOutWhatIsIgnoredOrNotListed() {
        NodeFacts facts = new NodeFacts(
                TopologyPolicyName.SINGLE_NUMA_NODE,
                TopologyScope.POD,
                Optional.empty(),
                Optional.empty(),
                new TreeSet<>(Set.of("cpu")),
                zones(0, 0));
        PodRequest pod = PodRequest.of(
                "p",
                ContainerRequest.app(
                        "c",
                        Map.of(
                                "cpu",
                                RequestedAmount.of(2),
                                "memory",
                                RequestedAmount.of(1 << 20),
                                GPU,
                                RequestedAmount.of(1),
                                "example.com/unlisted",
                                RequestedAmount.of(3))));

        assertThat(evaluator.verdict(NodeCounts.of(facts, index), PodAsk.of(pod, index)))
                .isEqualTo(0b01);
    }

    @Test
    void refusesZonesWithIdsBeyondTheKubeletsMasks() {
        assertThatThrownBy(() -> NodeFacts.of(
                        TopologyPolicyName.RESTRICTED, TopologyScope.POD, new TreeMap<>(Map.of(250, new TreeMap<>()))))
                .hasMessage("a node has zones with NUMA node ids 0-63: numaNodes=[250];"
                        + " leave this node to the default scheduler");
    }

    @Test
    void asksOnceForNodesInEqualState() {
        Fleet fleet = new Fleet();
        int first = fleet.add(node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8));
        int second = fleet.add(node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8));
        int third = fleet.add(node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 1, 1));
        long[] verdicts = new long[3];
        assertThat(fleet.states()).isEqualTo(2);

        fleet.set(second, node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 1, 8));
        fleet.verdicts(PodAsk.of(pod(6), index), verdicts);
        assertThat(verdicts).containsExactly(0b01, 0b10, CountsEvaluator.NOT_ALIGNED);

        fleet.set(third, fleet.state(first));
        fleet.set(second, fleet.state(first));
        assertThat(fleet.states()).isEqualTo(1);
        int[] scores = new int[3];
        fleet.scores(PodAsk.of(pod(3), index), verdicts, scores);
        assertThat(scores).containsExactly(50, 50, 50);
    }

    @Test
    void allocatesNothingPerNode() {
        NodeCounts node = node(TopologyPolicyName.RESTRICTED, TopologyScope.POD, 6, 8);
        PodAsk ask = PodAsk.of(pod(10), index);
        long[] placement = new long[node.placementLength()];
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long id = Thread.currentThread().getId();
        long sum = evaluate(node, ask, placement, 100);

        long before = threads.getThreadAllocatedBytes(id);
        sum += evaluate(node, ask, placement, 10_000);
        long allocated = threads.getThreadAllocatedBytes(id) - before;

        assertThat(sum).isPositive();
        assertThat(allocated).as("bytes for 10,000 nodes").isLessThan(10_000);
    }

    private long evaluate(NodeCounts node, PodAsk ask, long[] placement, int times) {
        long sum = 0;
        for (int i = 0; i < times; i++) {
            long verdict = evaluator.verdict(node, ask);
            evaluator.place(node, ask, verdict, placement);
            sum += verdict + evaluator.score(node, ask, verdict);
        }
        return sum;
    }
}
