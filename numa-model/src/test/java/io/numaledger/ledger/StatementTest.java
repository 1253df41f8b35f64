package io.numaledger.ledger;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.answer.Refusal.Reason;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.device.Device;
import io.numaledger.ledger.Statement.Checkpoint;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.Placement;
import io.numaledger.placement.PodAllocation;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

/** Two nodes of two NUMA nodes each, with eight one-thread cores, 8 GiB and two GPUs; CPU 0 and 1 GiB of the first are reserved. */
class StatementTest {

    private static final long GIB = 1L << 30;

    private final Ledger ledger = new Ledger();

    @BeforeEach
    void openAccounts() {
        ledger.open("n1", NodeAccount.of(kubelet(TopologyPolicyName.SINGLE_NUMA_NODE)));
        ledger.open("n2", NodeAccount.of(kubelet(TopologyPolicyName.RESTRICTED)));
    }

    private static KubeletModel kubelet(TopologyPolicyName policy) {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 16; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(cpu / 8), cpu, OptionalInt.empty()));
        }
        SortedMap<String, List<Device>> devices = new TreeMap<>(Map.of(
                "nvidia.com/gpu",
                List.of(
                        new Device("gpu-0", AffinityMask.of(0), true),
                        new Device("gpu-1", AffinityMask.of(0), true),
                        new Device("gpu-2", AffinityMask.of(1), true),
                        new Device("gpu-3", AffinityMask.of(1), true))));
        List<NumaNode> nodes = List.of(node(0, CpuSet.range(0, 7)), node(1, CpuSet.range(8, 15)));
        return KubeletModel.start(
                new Machine(new MachineTopology(CpuSet.range(0, 15), nodes, cpus), devices),
                new KubeletConfig(
                        new KubeletVersion(36),
                        TopologyManagerConfig.of(policy, TopologyScope.POD),
                        CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                        MemoryManagerConfig.staticPolicy(Map.of(0, GIB))));
    }

    private static NumaNode node(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.of(8 * GIB), new TreeMap<>(), new TreeMap<>());
    }

    private static PodRequest pod(String name, long cpus, long gib, long gpus) {
        return PodRequest.of(
                name,
                ContainerRequest.app(
                        "c",
                        Map.of(
                                "cpu", RequestedAmount.of(cpus),
                                "memory", RequestedAmount.of(gib * GIB),
                                "nvidia.com/gpu", RequestedAmount.of(gpus))));
    }

    private static Placement placement(int zone, long cpus, long gib, long gpus) {
        return new Placement.Builder()
                .add(zone, "cpu", cpus * 1000)
                .add(zone, "memory", gib * GIB)
                .add(zone, "nvidia.com/gpu", gpus)
                .build();
    }

    /** A pod that the test wants on certain CPUs. */
    private static PodAllocation on(String name, CpuSet cpus) {
        return new PodAllocation("ns", name, List.of(new ContainerAllocation("c", cpus, List.of(), List.of())));
    }

    private static Placement cpus(int zone, long count) {
        return new Placement.Builder().add(zone, "cpu", count * 1000).build();
    }

    private CpuSet shared(String node) {
        return ledger.account(node).state().cpus().orElseThrow().shared();
    }

    @Test
    void chargesWhatTheKubeletWouldGiveAndCreditsIt() {
        Statement statement = ledger.statement();

        assertThat(statement.charge("n1", pod("a", 6, 2, 1)).isAdmitted()).isTrue();
        assertThat(ledger.account("n1").holdings()).containsOnly(Map.entry("a", placement(0, 6, 2, 1)));
        assertThat(shared("n1")).isEqualTo(CpuSet.parse("0,7-15"));

        assertThat(statement.credit("n1", "a")).isEqualTo(placement(0, 6, 2, 1));
        assertThat(ledger.account("n1"))
                .isEqualTo(NodeAccount.of(ledger.account("n1").kubelet()));
    }

    @Test
    void chargesNothingWhereTheKubeletRefuses() {
        Statement statement = ledger.statement();
        statement.charge("n1", pod("a", 4, 1, 1));
        statement.charge("n1", pod("b", 5, 1, 1));
        SortedMap<String, NodeAccount> before = ledger.snapshot();

        assertThat(statement
                        .charge("n1", pod("c", 6, 1, 1))
                        .refused()
                        .orElseThrow()
                        .reason())
                .isEqualTo(Reason.TOPOLOGY_AFFINITY);

        assertThat(ledger.snapshot()).isEqualTo(before);
        assertThat(statement.netSteps()).hasSize(2);
    }

    @Test
    void movesAVictimWhosePlaceWasTaken() {
        try (Statement setUp = ledger.statement()) {
            setUp.charge("n1", pod("victim", 7, 1, 1));
            setUp.commit();
        }
        SortedMap<String, NodeAccount> before = ledger.snapshot();
        Statement statement = ledger.statement();
        statement.credit("n1", "victim");
        Checkpoint checkpoint = statement.checkpoint();
        statement.charge("n1", pod("preemptor", 6, 2, 2));
        statement.charge("n1", pod("victim", 7, 1, 1));

        assertThat(statement.netSteps())
                .containsExactly(
                        new Step.Credit("n1", "victim", placement(0, 7, 1, 1)),
                        new Step.Charge("n1", "preemptor", placement(0, 6, 2, 2)),
                        new Step.Charge("n1", "victim", placement(1, 7, 1, 1)));

        statement.rollback(checkpoint);
        assertThat(ledger.account("n1").holdings()).isEmpty();
        statement.discard();
        assertThat(ledger.snapshot()).isEqualTo(before);
    }

    @Test
    void leavesAPodAloneThatGetsItsOldPlace() {
        try (Statement setUp = ledger.statement()) {
            setUp.charge("n1", pod("a", 4, 1, 1));
            setUp.commit();
        }
        Statement statement = ledger.statement();

        statement.credit("n1", "a");
        statement.charge("n1", pod("a", 4, 1, 1));

        assertThat(statement.commit()).isEmpty();
    }

    @Test
    void takesOtherIdsOfTheSameZonesForTheOldPlace() {
        try (Statement setUp = ledger.statement()) {
            setUp.charge("n1", on("a", CpuSet.range(4, 7)));
            setUp.commit();
        }
        Statement statement = ledger.statement();

        statement.credit("n1", "ns/a");
        statement.charge("n1", on("a", CpuSet.range(1, 4)));
        assertThat(statement.netSteps()).isEmpty();

        statement.credit("n1", "ns/a");
        statement.charge("n1", on("a", CpuSet.range(7, 10)));
        assertThat(statement.netSteps())
                .containsExactly(
                        new Step.Credit("n1", "ns/a", cpus(0, 4)),
                        new Step.Charge("n1", "ns/a", cpus(0, 1).plus(cpus(1, 3))));
    }

    @Test
    void doesNotTakeAnEmptyPlaceForTheOldOne() {
        try (Statement setUp = ledger.statement()) {
            setUp.charge("n1", on("a", CpuSet.range(4, 7)));
            setUp.commit();
        }
        Statement statement = ledger.statement();

        statement.credit("n1", "ns/a");
        statement.charge("n1", on("a", CpuSet.EMPTY));

        assertThat(statement.netSteps())
                .containsExactly(
                        new Step.Credit("n1", "ns/a", cpus(0, 4)), new Step.Charge("n1", "ns/a", Placement.EMPTY));
        assertThat(shared("n1")).isEqualTo(CpuSet.range(0, 15));
    }

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void takesBackRandomStepsToTheBit(long seed) {
        Random random = new Random(seed);
        try (Statement earlier = ledger.statement()) {
            randomSteps(earlier, random, 20);
            earlier.commit();
        }
        SortedMap<String, NodeAccount> start = ledger.snapshot();
        Deque<Checkpoint> checkpoints = new ArrayDeque<>();
        Deque<SortedMap<String, NodeAccount>> snapshots = new ArrayDeque<>();

        try (Statement statement = ledger.statement()) {
            for (int i = 0; i < 40; i++) {
                if (random.nextInt(3) == 0 && !checkpoints.isEmpty()) {
                    statement.rollback(checkpoints.pop());
                    assertThat(ledger.snapshot()).isEqualTo(snapshots.pop());
                } else {
                    checkpoints.push(statement.checkpoint());
                    snapshots.push(ledger.snapshot());
                    randomSteps(statement, random, 5);
                }
            }
        }

        assertThat(ledger.snapshot()).isEqualTo(start);
    }

    private void randomSteps(Statement statement, Random random, int count) {
        for (int i = 0; i < count; i++) {
            String node = random.nextBoolean() ? "n1" : "n2";
            String pod = "p" + random.nextInt(6);
            if (ledger.account(node).holding(pod).isPresent()) {
                statement.credit(node, pod);
            } else {
                statement.charge(node, pod(pod, random.nextInt(10), random.nextInt(10), random.nextInt(3)));
            }
        }
    }

    @Test
    void refusesWhatCannotBe() {
        Statement statement = ledger.statement();
        statement.charge("n1", on("a", CpuSet.of(1)));

        assertThatThrownBy(() -> statement.charge("n1", on("a", CpuSet.of(2))))
                .hasMessage("a pod is charged once on a node: node=n1 pod=ns/a; credit it first");
        assertThatThrownBy(() -> statement.credit("n2", "ns/a"))
                .hasMessage("a pod that is credited was charged before: node=n2 pod=ns/a; look on which node it is");
        assertThatThrownBy(() -> statement.charge("n1", on("b", CpuSet.of(1))))
                .hasMessage(
                        "a container holds CPUs that are reserved or held by another: pod=ns/b container=c cpus=1; read the node's allocations again");
        assertThatThrownBy(() -> statement.charge("n9", on("b", CpuSet.of(1))))
                .hasMessage("the ledger has no account of this node: node=n9; open it when the node is first seen");
        assertThatThrownBy(ledger::statement)
                .hasMessage("a ledger has one open statement: accounts=2; commit or discard it first");
        assertThatThrownBy(() -> ledger.close("n2"))
                .hasMessage("an account is not replaced within a statement: node=n2; commit or discard it first");
        statement.commit();
        assertThatThrownBy(() -> statement.credit("n1", "ns/a"))
                .hasMessage("a statement ends with commit or discard: steps=1; start a new one");
        ledger.close("n2");
        assertThat(ledger.snapshot()).containsOnlyKeys("n1");
    }
}
