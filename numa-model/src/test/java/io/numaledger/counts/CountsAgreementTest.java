package io.numaledger.counts;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.answer.Refusal.Reason;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.MemoryPolicy;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
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
import java.util.TreeSet;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The counts form against the full model, on random machines and pods, wherever counts suffice: until memory lies over
 * several NUMA nodes or stands in the way of such memory, which counts do not show.
 */
class CountsAgreementTest {

    private static final String GPU = "nvidia.com/gpu";
    private static final long GIB = 1L << 30;

    private final ResourceIndex index = new ResourceIndex();
    private final CountsEvaluator evaluator = new CountsEvaluator();

    static LongStream seeds() {
        return LongStream.range(0, 600);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void agreesWithTheFullModelWhereCountsSuffice(long seed) {
        Random random = new Random(seed);
        Setup setup = new Setup(random);
        NodeState state = setup.model.empty();
        for (int i = 0; i < 12 && !setup.memoryGroupsExist(state); i++) {
            PodRequest pod = setup.randomPod("p" + i, random);
            NodeCounts counts = NodeCounts.of(setup.facts(state), index);
            long verdict = evaluator.verdict(counts, PodAsk.of(pod, index));
            Decision decision = setup.model.admit(state, pod);
            if (!setup.memoryHintsHangOnGroups(state, pod)) {
                assertThat(verdict >= 0)
                        .as("%s %s: %s for %s", setup.policy, setup.scope, decision.admission(), pod)
                        .isEqualTo(decision.admission().isAdmitted());
                compareMask(setup, verdict, decision.admission());
                compareReason(verdict, decision.admission());
            }
            state = setup.model.sweep(setup.model.started(decision.state(), pod));
        }
    }

    private static void compareReason(long verdict, Admission admission) {
        admission.refused().ifPresent(refusal -> {
            if (refusal.reason() == Reason.TOPOLOGY_AFFINITY) {
                assertThat(verdict).isEqualTo(CountsEvaluator.NOT_ALIGNED);
            } else {
                assertThat(verdict).isIn(CountsEvaluator.SHORT, CountsEvaluator.SHORT_OF_MEMORY);
            }
        });
    }

    private static void compareMask(Setup setup, long verdict, Admission admission) {
        boolean alignsFirmly =
                setup.policy == TopologyPolicyName.RESTRICTED || setup.policy == TopologyPolicyName.SINGLE_NUMA_NODE;
        if (alignsFirmly && verdict > 0 && admission instanceof Admission.Admitted admitted) {
            Optional<TopologyHint> last = admitted.hints()
                    .pod()
                    .or(() -> Optional.ofNullable(admitted.hints().byContainer().get("c1")));
            long all = (1L << setup.zones) - 1;
            long mask = last.orElseThrow().mask().map(AffinityMask::bits).orElse(all);
            assertThat(verdict).isEqualTo(mask);
        }
    }

    /** One random machine with its kubelet. */
    private static final class Setup {

        private final int zones;
        private final int cpusPerZone;
        private final long memoryPerZone;
        private final TopologyPolicyName policy;
        private final TopologyScope scope;
        private final boolean withMemory;
        private final KubeletModel model;

        private Setup(Random random) {
            zones = List.of(1, 2, 4, 8).get(random.nextInt(4));
            cpusPerZone = 4 * (1 + random.nextInt(3));
            memoryPerZone = (8 + random.nextInt(8)) * GIB;
            policy = List.of(TopologyPolicyName.values()).get(random.nextInt(4));
            scope = List.of(TopologyScope.values()).get(random.nextInt(2));
            withMemory = random.nextInt(3) > 0;
            model = KubeletModel.start(machine(random), config(random));
        }

        private Machine machine(Random random) {
            List<NumaNode> nodes = new ArrayList<>();
            List<LogicalCpu> cpus = new ArrayList<>();
            List<Device> gpus = new ArrayList<>();
            for (int zone = 0; zone < zones; zone++) {
                CpuSet own = CpuSet.range(zone * cpusPerZone, (zone + 1) * cpusPerZone - 1);
                int socket = zone;
                own.ids()
                        .forEach(
                                cpu -> cpus.add(new LogicalCpu(cpu, OptionalInt.of(socket), cpu, OptionalInt.empty())));
                nodes.add(new NumaNode(zone, own, OptionalLong.of(memoryPerZone), new TreeMap<>(), new TreeMap<>()));
                for (int gpu = random.nextInt(4); gpu > 0; gpu--) {
                    gpus.add(new Device("gpu-" + zone + "-" + gpu, AffinityMask.of(zone), true));
                }
            }
            MachineTopology topology = new MachineTopology(CpuSet.range(0, zones * cpusPerZone - 1), nodes, cpus);
            return new Machine(topology, new TreeMap<>(gpus.isEmpty() ? Map.of() : Map.of(GPU, gpus)));
        }

        private KubeletConfig config(Random random) {
            return new KubeletConfig(
                    new KubeletVersion(36),
                    TopologyManagerConfig.of(policy, scope),
                    CpuManagerConfig.staticPolicy(CpuSet.range(0, random.nextInt(2))),
                    withMemory ? MemoryManagerConfig.staticPolicy(Map.of(0, GIB)) : MemoryManagerConfig.OFF);
        }

        private PodRequest randomPod(String name, Random random) {
            List<ContainerRequest> containers = new ArrayList<>();
            int count = 1 + random.nextInt(2);
            for (int i = 0; i < count; i++) {
                Map<String, RequestedAmount> requests = new TreeMap<>();
                requests.put(
                        "cpu",
                        random.nextInt(4) == 0
                                ? RequestedAmount.ofMillis(1500)
                                : RequestedAmount.of(1 + random.nextInt(cpusPerZone * 3 / 2)));
                requests.put("memory", RequestedAmount.of((1 + random.nextInt(10)) * GIB));
                if (random.nextBoolean()) {
                    requests.put(GPU, RequestedAmount.of(random.nextInt(4)));
                }
                containers.add(ContainerRequest.app("c" + (2 - count + i), requests));
            }
            return PodRequest.of(name, containers.toArray(ContainerRequest[]::new));
        }

        private NodeFacts facts(NodeState state) {
            SortedMap<Integer, SortedMap<String, ZoneCounts>> byZone = new TreeMap<>();
            CpuSet reserved = model.cpus().orElseThrow().reserved();
            for (NumaNode node : model.machine().topology().numaNodes()) {
                SortedMap<String, ZoneCounts> counts = new TreeMap<>();
                CpuSet free =
                        state.cpus().orElseThrow().shared().minus(reserved).intersect(node.cpus());
                counts.put("cpu", counts(1000L * cpusPerZone, 1000L * cpusPerZone, 1000L * free.size()));
                state.memory().ifPresent(memory -> {
                    var table = memory.nodes().get(node.id());
                    counts.put(
                            "memory",
                            counts(
                                    memoryPerZone,
                                    table.allocatable().get("memory"),
                                    table.free().get("memory")));
                });
                if (model.machine().devices().containsKey(GPU)) {
                    counts.put(GPU, gpus(node.id(), state));
                }
                byZone.put(node.id(), counts);
            }
            return new NodeFacts(
                    policy,
                    scope,
                    Optional.of(CpuPolicy.STATIC),
                    Optional.of(withMemory ? MemoryPolicy.STATIC : MemoryPolicy.NONE),
                    new TreeSet<>(),
                    byZone);
        }

        private ZoneCounts gpus(int zone, NodeState state) {
            long all = model.machine().devices().get(GPU).stream()
                    .filter(device -> device.numaNodes().contains(zone))
                    .count();
            var devices = model.devices().orElseThrow();
            var free = devices.countsByMask(GPU, devices.available(GPU, state.devices()));
            return counts(all, all, free.getOrDefault(1L << zone, 0));
        }

        private static ZoneCounts counts(long capacity, long allocatable, long available) {
            return new ZoneCounts(OptionalLong.of(capacity), allocatable, available);
        }

        private boolean memoryGroupsExist(NodeState state) {
            return state.memory().stream()
                    .flatMap(memory -> memory.nodes().values().stream())
                    .anyMatch(node -> node.cells().count() > 1);
        }

        /** Memory over several NUMA nodes, there already or asked for: whether it is possible hangs on groups. */
        private boolean memoryHintsHangOnGroups(NodeState state, PodRequest pod) {
            if (!withMemory || zones == 1) {
                return false;
            }
            Decision decision = model.admit(state, pod);
            boolean wideBlock = decision.state().memory().orElseThrow().nodes().values().stream()
                    .anyMatch(node -> node.cells().count() > 1);
            boolean memoryFailed = decision.admission()
                    .refused()
                    .flatMap(refusal -> refusal.message())
                    .filter(message -> message.contains("[memorymanager]"))
                    .isPresent();
            long needed = pod.containers().stream()
                    .mapToLong(one -> one.resources().requests().get("memory").whole())
                    .sum();
            boolean askedWide = needed > memoryPerZone - GIB;
            boolean noSingle = state.memory().orElseThrow().nodes().values().stream()
                    .noneMatch(node -> node.free().get("memory") >= needed);
            return wideBlock || memoryFailed || askedWide || noSingle;
        }
    }
}
