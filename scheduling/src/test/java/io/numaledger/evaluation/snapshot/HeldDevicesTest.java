package io.numaledger.evaluation.snapshot;

import io.numaledger.annotation.AllocationText;
import io.numaledger.evaluation.fit.Evaluation;
import io.numaledger.evaluation.fit.RefusalReason;
import io.numaledger.evaluation.snapshot.Assumption.Kind;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.nrt.KubeletSettings;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.TopologyAssembler;
import io.numaledger.nrt.profile.ProfileFacts;
import io.numaledger.nrt.profile.ProfileName;
import io.numaledger.objects.ClusterYaml;
import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.ContainerAllocation;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.PlacementObserver;
import io.numaledger.placement.PodAllocation;
import io.numaledger.scheduling.TestCluster;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** GPUs of two zones that fail, vanish and come back while pods hold them, as the agent publishes them. */
class HeldDevicesTest {

    private static final String GPU = "example.com/gpu";
    private static final List<TopologyPolicyName> POLICIES = List.of(TopologyPolicyName.values());
    private static final MachineTopology MACHINE = new MachineTopology(
            CpuSet.range(0, 7),
            List.of(numaNode(0), numaNode(1)),
            IntStream.range(0, 8)
                    .mapToObj(cpu -> new LogicalCpu(cpu, OptionalInt.of(cpu / 4), cpu, OptionalInt.empty()))
                    .toList());

    private static NumaNode numaNode(int id) {
        return new NumaNode(
                id, CpuSet.range(4 * id, 4 * id + 3), OptionalLong.empty(), new TreeMap<>(), new TreeMap<>());
    }

    private static DeviceAllocation gpu(String id, Integer... numaNodes) {
        return new DeviceAllocation(GPU, id, List.of(numaNodes));
    }

    /** A node with what its kubelet knows, and what is published of it. */
    private static final class Node {

        final Map<String, DeviceAllocation> healthy = new TreeMap<>();
        final Map<String, DeviceAllocation> failed = new TreeMap<>();
        final Map<String, List<DeviceAllocation>> held = new TreeMap<>();
        private final TopologyPolicyName policy;
        private final TestCluster cluster = new TestCluster();

        Node(TopologyPolicyName policy, DeviceAllocation... gpus) {
            this.policy = policy;
            List.of(gpus).forEach(gpu -> healthy.put(gpu.deviceId(), gpu));
        }

        void fail(String id) {
            failed.put(id, healthy.remove(id));
        }

        void run(String pod, String... ids) {
            held.put(pod, List.of(ids).stream().map(healthy::get).toList());
            cluster.apply(yaml(pod));
        }

        /** Its kubelet says so. */
        void end(String pod) {
            cluster.apply(yaml(pod).replace("phase: Running", "phase: Succeeded"));
            held.remove(pod);
            cluster.deletePod(pod);
        }

        private String yaml(String pod) {
            return ClusterYaml.pod(
                    pod,
                    "%s: %d".formatted(GPU, held.get(pod).size()),
                    ", annotations: {numaledger.io/placement: '%s'}".formatted(AllocationText.write(allocation(pod))),
                    "  nodeName: n",
                    ", phase: Running");
        }

        private PodAllocation allocation(String pod) {
            return new PodAllocation(
                    "default", pod, List.of(new ContainerAllocation("c", CpuSet.EMPTY, List.of(), held.get(pod))));
        }

        /** What the agent writes after a look, and the kubelet on its Node. */
        void look() {
            cluster.apply("""
                    ---
                    apiVersion: v1
                    kind: Node
                    metadata: {name: n}
                    status:
                      nodeInfo: {kubeletVersion: v1.37.2}
                      capacity: {%1$s: "%2$d"}
                      allocatable: {%1$s: "%3$d"}
                    """.formatted(GPU, healthy.size() + failed.size(), healthy.size()));
            cluster.state.topologyChanged(topology(), Instant.now());
        }

        NodeTopology topology() {
            AllocatableResources allocatable =
                    new AllocatableResources(CpuSet.EMPTY, List.of(), List.copyOf(healthy.values()));
            List<PodAllocation> pods =
                    held.keySet().stream().map(this::allocation).toList();
            KubeletSettings settings = new KubeletSettings(
                    Optional.of(policy),
                    Optional.of(TopologyScope.POD),
                    new TreeMap<>(),
                    Optional.of(CpuPolicy.NONE),
                    new TreeMap<>(),
                    Optional.of(MemoryPolicy.NONE),
                    new TreeMap<>());
            NodeTopology plain = new TopologyAssembler(MACHINE, settings)
                    .assemble(
                            "n",
                            Optional.empty(),
                            allocatable,
                            pods,
                            new PlacementObserver(MACHINE, List.of()).observe(pods, Map.of()));
            return ProfileName.NUMALEDGER
                    .profile(false)
                    .orElseThrow()
                    .shape(plain, new ProfileFacts(MACHINE, settings, pods, List.of(), new TreeMap<>(), true));
        }

        Evaluation evaluate(int gpus) {
            return cluster.evaluate(List.of("n"), ClusterYaml.pending("next", "%s: \"%d\"".formatted(GPU, gpus)))
                    .get(0);
        }

        boolean admits(int gpus) {
            return evaluate(gpus).admits();
        }

        NodeSnapshot snapshot() {
            return cluster.snapshot("n");
        }

        private List<DeviceAllocation> free() {
            List<String> taken = held.values().stream()
                    .flatMap(List::stream)
                    .map(DeviceAllocation::deviceId)
                    .toList();
            return healthy.values().stream()
                    .filter(gpu -> !taken.contains(gpu.deviceId()))
                    .toList();
        }

        private static long on(int numaNode, List<DeviceAllocation> gpus) {
            return gpus.stream()
                    .filter(gpu -> gpu.numaNodes().contains(numaNode))
                    .count();
        }

        /** What the kubelet decides, from the definition. */
        boolean kubeletAdmits(int gpus) {
            List<DeviceAllocation> listed = new ArrayList<>(healthy.values());
            listed.addAll(failed.values());
            boolean narrow = Math.max(on(0, listed), on(1, listed)) >= gpus;
            boolean oneZone = Math.max(on(0, free()), on(1, free())) >= gpus;
            return switch (policy) {
                case SINGLE_NUMA_NODE -> oneZone;
                case RESTRICTED -> narrow ? oneZone : free().size() >= gpus;
                case NONE, BEST_EFFORT -> free().size() >= gpus;
            };
        }
    }

    /** The recorded case hand-held-device-failed. */
    @Test
    void aPodGetsTheHealthyDeviceBesideAHeldOneThatFailed() {
        Node node = new Node(TopologyPolicyName.SINGLE_NUMA_NODE, gpu("gpu-0", 0), gpu("gpu-1", 0));
        node.run("a", "gpu-0");
        node.fail("gpu-0");
        node.look();

        assertThat(node.admits(1)).isTrue();
        assertThat(node.admits(2)).isFalse();
        assertThat(node.snapshot().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(node.cluster.state.recordsSetAside("n")).isEmpty();
    }

    /** The recorded case hand-held-device-gone. */
    @Test
    void aPodGetsTheHealthyDeviceBesideAHeldOneThatVanished() {
        Node node = new Node(TopologyPolicyName.SINGLE_NUMA_NODE, gpu("gpu-0", 0), gpu("gpu-1", 0));
        node.run("a", "gpu-0");
        node.healthy.remove("gpu-0");
        node.look();

        assertThat(node.admits(1)).isTrue();
        assertThat(node.admits(2)).isFalse();
        assertThat(node.snapshot().confidence()).isEqualTo(Confidence.EXACT);
        assertThat(node.snapshot().pods().get(0).placement().on(0).get(GPU)).isEqualTo(1);
    }

    /** The recorded case hand-held-device-failed-8. */
    @Test
    void aPodGetsTheThreeThatAreLeftOfFour() {
        Node node = eight(TopologyPolicyName.RESTRICTED);
        node.run("a", "gpu-0");
        node.fail("gpu-0");
        node.run("x", "gpu-4", "gpu-5", "gpu-6", "gpu-7");
        node.look();

        assertThat(node.admits(3)).isTrue();
        assertThat(node.admits(4)).isFalse();
        assertThat(node.snapshot().confidence()).isEqualTo(Confidence.EXACT);
    }

    /** The recorded case hand-held-device-failed-and-released; the agent looks later than the API server tells. */
    @Test
    void theDeviceOfAPodThatHasEndedIsNotFreeWhereItFailedAndFreeWhereItDidNot() {
        Node node = eight(TopologyPolicyName.SINGLE_NUMA_NODE);
        node.run("a", "gpu-0");
        node.run("b", "gpu-1", "gpu-2");
        node.run("x", "gpu-4", "gpu-5", "gpu-6", "gpu-7");
        node.fail("gpu-0");
        node.look();

        node.end("a");

        assertThat(node.admits(1)).isTrue();
        assertThat(node.admits(2)).as("gpu-3 alone is healthy and free").isFalse();
        node.end("b");
        assertThat(node.admits(3)).isTrue();
        assertThat(node.admits(5)).isFalse();
        node.look();
        assertThat(node.admits(3)).isTrue();
        assertThat(node.admits(4)).isFalse();
    }

    private static Node eight(TopologyPolicyName policy) {
        return new Node(
                policy,
                IntStream.range(0, 8).mapToObj(i -> gpu("gpu-" + i, i / 4)).toArray(DeviceAllocation[]::new));
    }

    /** As an older agent publishes it: zones have the number, and nothing says which. */
    @Test
    void isNotExactWhereItIsNotPublishedWhichHeldDeviceFailed() {
        Node node = eight(TopologyPolicyName.RESTRICTED);
        node.run("a", "gpu-0");
        node.fail("gpu-0");
        node.look();
        NodeTopology topology = node.topology();
        TreeMap<String, String> attributes = new TreeMap<>(topology.attributes());
        attributes.remove("unhealthyDevices");
        node.cluster.state.topologyChanged(
                new NodeTopology(
                        "n",
                        topology.owner(),
                        topology.annotations(),
                        attributes,
                        topology.topologyPolicies(),
                        topology.zones()),
                Instant.now());

        assertThat(node.admits(3)).isTrue();
        assertThat(node.snapshot().confidence()).isEqualTo(Confidence.PREDICTED);
        assertThat(node.snapshot().assumptions())
                .containsExactly(Assumption.of(Kind.HELD_UNHEALTHY_DEVICES, "resource=" + GPU));
    }

    /** Zone 0 has two devices and an unhealthy third, or two: 3 devices of both zones are preferred in the second case only. */
    @Test
    void isNotExactWhereTheWidthDependsOnWhetherAFailedDeviceIsStillListed() {
        Node node = new Node(
                TopologyPolicyName.RESTRICTED, gpu("a", 0), gpu("b", 0), gpu("c", 0), gpu("d", 1), gpu("e", 1));
        node.run("x", "a");
        node.fail("a");
        node.look();

        assertThat(node.admits(3)).isFalse();
        assertThat(node.snapshot().assumptions())
                .containsExactly(Assumption.of(Kind.HELD_UNHEALTHY_DEVICES, "resource=" + GPU));

        node.failed.clear();
        node.look();

        assertThat(node.admits(3)).isTrue();
        assertThat(node.snapshot().assumptions()).isEmpty();
    }

    @Test
    void countsPodsWithoutRecordBesideAFailedDevice() {
        Node node = eight(TopologyPolicyName.SINGLE_NUMA_NODE);
        node.run("a", "gpu-0");
        node.held.put("b", List.of(gpu("gpu-1", 0), gpu("gpu-2", 0)));
        node.run("x", "gpu-4", "gpu-5", "gpu-6", "gpu-7");
        node.fail("gpu-0");
        node.cluster.apply(ClusterYaml.pod("b", "%s: \"2\"".formatted(GPU), "", "  nodeName: n", ", phase: Running"));
        node.look();

        assertThat(node.admits(1)).isTrue();
        assertThat(node.admits(2)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({
        "SINGLE_NUMA_NODE, 9",
        "SINGLE_NUMA_NODE, -1",
        "SINGLE_NUMA_NODE, 100",
        "RESTRICTED, 9",
        "RESTRICTED, -1"
    })
    void refusesDevicesOnNumaNodesThatTheMachineLacksAndNamesThem(TopologyPolicyName policy, int numaNode) {
        Node node = new Node(policy, gpu("a", numaNode), gpu("b", numaNode), gpu("c", 0));
        node.look();
        assertThat(node.admits(1)).isTrue();
        node.run("x", "c");
        node.look();

        assertThat(node.evaluate(1)).isInstanceOfSatisfying(Evaluation.Refused.class, refused -> {
            assertThat(refused.reason()).isEqualTo(RefusalReason.TOPOLOGY_AFFINITY_ERROR);
            assertThat(refused.summary())
                    .isEqualTo(
                            "no zone can take 1 example.com/gpu; the device plugin reports 2 example.com/gpu on NUMA nodes that the machine lacks");
        });
        assertThat(node.snapshot().confidence()).isEqualTo(Confidence.EXACT);
    }

    /** The kubelet lists a held device on NUMA node -1 like one without NUMA nodes. */
    @ParameterizedTest
    @CsvSource({"9, 9", "-1,"})
    void countsHeldDevicesOnNumaNodesThatTheMachineLacks(int numaNode, @Nullable Integer listed) {
        Node node = new Node(TopologyPolicyName.BEST_EFFORT, gpu("a", numaNode), gpu("b", numaNode));
        node.look();
        assertThat(node.admits(2)).isTrue();
        node.healthy.put("a", listed == null ? gpu("a") : gpu("a", listed));
        node.run("x", "a");
        node.healthy.put("a", gpu("a", numaNode));
        node.look();

        assertThat(node.admits(1)).isTrue();
        assertThat(node.admits(2)).isFalse();
        assertThat(node.snapshot().confidence()).isEqualTo(Confidence.EXACT);
    }

    static LongStream seeds() {
        return LongStream.range(0, 150);
    }

    /** Which device fails, vanishes or returns, and which pods come and go, is drawn; the agent looks after each. */
    @ParameterizedTest
    @MethodSource("seeds")
    void isRightOrNamesAnAssumption(long seed) {
        Random random = new Random(seed);
        TopologyPolicyName policy = POLICIES.get(random.nextInt(POLICIES.size()));
        List<DeviceAllocation> all = IntStream.range(0, 2 + random.nextInt(7))
                .mapToObj(i -> random.nextInt(8) == 0 ? gpu("gpu-" + i, 0, 1) : gpu("gpu-" + i, random.nextInt(2)))
                .toList();
        Node node = new Node(policy, all.toArray(DeviceAllocation[]::new));
        node.look();
        for (int step = 0; step < 25; step++) {
            change(node, all, random, "pod-" + step);
            for (int gpus = 1; gpus <= 4; gpus++) {
                if (node.admits(gpus) != kubeletAdmits(node, gpus)) {
                    assertThat(node.snapshot().assumptions())
                            .as(
                                    "%d GPUs, %s, healthy=%s failed=%s held=%s",
                                    gpus, policy, node.healthy, node.failed, node.held)
                            .isNotEmpty();
                }
            }
            assertThat(node.cluster.state.recordsSetAside("n")).isEmpty();
        }
    }

    private static boolean kubeletAdmits(Node node, int gpus) {
        return node.kubeletAdmits(gpus);
    }

    private static void change(Node node, List<DeviceAllocation> all, Random random, String pod) {
        DeviceAllocation one = all.get(random.nextInt(all.size()));
        switch (random.nextInt(5)) {
            case 0 -> {
                node.healthy.remove(one.deviceId());
                node.failed.put(one.deviceId(), one);
            }
            case 1 -> {
                node.healthy.remove(one.deviceId());
                node.failed.remove(one.deviceId());
            }
            case 2 -> {
                node.failed.remove(one.deviceId());
                node.healthy.put(one.deviceId(), one);
            }
            case 3 -> {
                if (!node.held.isEmpty()) {
                    node.end(List.copyOf(node.held.keySet()).get(random.nextInt(node.held.size())));
                }
            }
            default -> {
                List<DeviceAllocation> free = node.free();
                if (!free.isEmpty()) {
                    node.run(pod, free.get(random.nextInt(free.size())).deviceId());
                }
            }
        }
        node.look();
    }
}
