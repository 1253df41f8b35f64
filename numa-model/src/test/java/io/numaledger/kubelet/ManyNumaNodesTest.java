package io.numaledger.kubelet;

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
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.ContainerRequest.Kind;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.QosClass;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.pod.Resources;
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
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Random machines of up to 12 NUMA nodes, most of them without CPUs: hints as rules give the decisions and states of listed masks.
 */
class ManyNumaNodesTest {

    private static final long GIB = 1L << 30;
    private static final String GPU = "nvidia.com/gpu";
    private static final String NIC = "example.com/nic";
    private static final int PODS = 12;

    static LongStream seeds() {
        return LongStream.range(0, 150);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void rulesDecideAsListedMasksDo(long seed) {
        Random random = new Random(seed);
        RandomMachine node = new RandomMachine(random);
        KubeletModel started = KubeletModel.start(node.machine(), node.config());
        KubeletModel rules = started.withListedMasks(false);
        KubeletModel lists = started.withListedMasks(true);
        NodeState state = rules.empty();
        List<String> running = new ArrayList<>();

        for (int i = 0; i < PODS; i++) {
            PodRequest pod = node.pod("pod-" + i);
            Decision decision = rules.admit(state, pod);
            Decision expected = lists.admit(state, pod);

            assertThat(withoutOffers(decision.admission()))
                    .as(pod::toString)
                    .isEqualTo(withoutOffers(expected.admission()));
            assertThat(decision.state()).isEqualTo(expected.state());
            state = rules.started(decision.state(), pod);
            if (decision.admission().isAdmitted()) {
                running.add(pod.name());
            }
            if (random.nextInt(3) == 0 && !running.isEmpty()) {
                state = rules.ended(state, running.remove(random.nextInt(running.size())));
            }
        }
    }

    /** The two forms of hints differ, and so may the NUMA nodes that a refusal shows. */
    private static Object withoutOffers(Admission admission) {
        if (admission instanceof Admission.Refused refused) {
            return List.of(
                    refused.hints().pod(),
                    refused.hints().byContainer(),
                    refused.refusal().reason(),
                    refused.refusal().message(),
                    refused.refusal().resources().stream()
                            .map(fit -> List.of(fit.resource(), fit.need(), fit.widthWanted()))
                            .toList());
        }
        if (admission instanceof Admission.Admitted admitted) {
            return List.of(admitted.hints().pod(), admitted.hints().byContainer(), admitted.containers());
        }
        return admission;
    }

    /** Few kinds of NUMA nodes: with CPUs and memory, with memory only, and empty ones. */
    private static final class RandomMachine {

        private final Random random;
        private final List<Integer> ids = new ArrayList<>();
        private final int withCpus;
        private final int cpusPerNode;
        private final boolean sparse;
        private final boolean sockets;
        private final Machine machine;
        private final KubeletConfig config;

        RandomMachine(Random random) {
            this.random = random;
            this.sparse = random.nextInt(4) == 0;
            this.sockets = random.nextInt(6) == 0;
            int numaNodes = 9 + random.nextInt(random.nextInt(4) == 0 ? 4 : 2);
            for (int i = 0; i < numaNodes; i++) {
                ids.add(sparse ? 5 * i : i);
            }
            this.withCpus = random.nextInt(5) == 0 ? numaNodes : 1 + random.nextInt(3);
            this.cpusPerNode = 2 * (1 + random.nextInt(3));
            this.machine = newMachine();
            this.config = newConfig();
        }

        Machine machine() {
            return machine;
        }

        KubeletConfig config() {
            return config;
        }

        private Machine newMachine() {
            List<NumaNode> nodes = new ArrayList<>();
            List<LogicalCpu> cpus = new ArrayList<>();
            SortedMap<String, List<Device>> devices = new TreeMap<>();
            int distanceKinds = 1 + random.nextInt(3);
            for (int i = 0; i < ids.size(); i++) {
                CpuSet own = i < withCpus ? CpuSet.range(i * cpusPerNode, (i + 1) * cpusPerNode - 1) : CpuSet.EMPTY;
                int socket = i / 2;
                own.ids()
                        .forEach(
                                cpu -> cpus.add(new LogicalCpu(cpu, OptionalInt.of(socket), cpu, OptionalInt.empty())));
                long memory = i < withCpus ? 8 : random.nextInt(3) == 0 ? 4 : 0;
                nodes.add(new NumaNode(
                        ids.get(i),
                        own,
                        OptionalLong.of(memory * GIB),
                        new TreeMap<>(Map.of(1L << 30, memory == 8 ? (long) random.nextInt(3) : 0L)),
                        distances(i, distanceKinds)));
                if (i < withCpus || random.nextInt(3) == 0) {
                    addDevices(devices, GPU, ids.get(i));
                    addDevices(devices, NIC, ids.get(i));
                }
            }
            return new Machine(new MachineTopology(CpuSet.range(0, withCpus * cpusPerNode - 1), nodes, cpus), devices);
        }

        private SortedMap<Integer, Integer> distances(int from, int kinds) {
            SortedMap<Integer, Integer> row = new TreeMap<>();
            for (int i = 0; i < ids.size(); i++) {
                row.put(ids.get(i), i == from ? 10 : 20 + (i % kinds) * (from % kinds));
            }
            return row;
        }

        private void addDevices(SortedMap<String, List<Device>> devices, String resource, int id) {
            for (int i = random.nextInt(3); i > 0; i--) {
                AffinityMask mask = switch (random.nextInt(12)) {
                    case 0 -> AffinityMask.of(ids.get(0), id);
                    case 1 -> AffinityMask.NONE;
                    default -> AffinityMask.of(id);
                };
                devices.computeIfAbsent(resource, any -> new ArrayList<>())
                        .add(new Device("%s-%d-%d".formatted(resource, id, i), mask, random.nextInt(10) > 0));
            }
        }

        private KubeletConfig newConfig() {
            List<TopologyPolicyName> policies = List.of(TopologyPolicyName.values());
            TopologyPolicyName policy = policies.get(random.nextInt(policies.size()));
            SortedMap<String, String> options = new TreeMap<>(Map.of("max-allowable-numa-nodes", "16"));
            if (!sparse && random.nextInt(3) == 0) {
                options.put("prefer-closest-numa-nodes", "true");
            }
            SortedMap<String, String> cpuOptions = new TreeMap<>();
            if (sockets && policy != TopologyPolicyName.SINGLE_NUMA_NODE) {
                cpuOptions.put("align-by-socket", "true");
            }
            SortedMap<String, Long> reserved = new TreeMap<>(Map.of("memory", GIB));
            return new KubeletConfig(
                    new KubeletVersion(35 + random.nextInt(2)),
                    new TopologyManagerConfig(
                            policy, List.of(TopologyScope.values()).get(random.nextInt(2)), options),
                    new CpuManagerConfig(CpuPolicy.STATIC, cpuOptions, CpuSet.of(0), OptionalLong.empty()),
                    random.nextInt(3) == 0
                            ? MemoryManagerConfig.OFF
                            : new MemoryManagerConfig(
                                    MemoryPolicy.STATIC, new TreeMap<>(Map.of(0, reserved)), Optional.empty()),
                    new TreeMap<>(Map.of("CPUManagerPolicyAlphaOptions", true)));
        }

        PodRequest pod(String name) {
            List<ContainerRequest> inits = new ArrayList<>();
            List<ContainerRequest> apps = new ArrayList<>();
            if (random.nextInt(5) == 0) {
                inits.add(container("init", random.nextBoolean() ? Kind.PLAIN_INIT : Kind.SIDECAR));
            }
            for (int i = 0; i < 1 + random.nextInt(2); i++) {
                apps.add(container("app-" + i, Kind.APP));
            }
            return new PodRequest(name, QosClass.GUARANTEED, Optional.empty(), inits, apps);
        }

        private ContainerRequest container(String name, Kind kind) {
            SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
            boolean large = random.nextInt(3) == 0;
            amounts.put("cpu", RequestedAmount.of(1 + random.nextInt(cpusPerNode * (large ? 2 : 1))));
            amounts.put("memory", RequestedAmount.of((1 + random.nextInt(large ? 12 : 4)) * GIB));
            if (random.nextInt(5) == 0) {
                amounts.put("hugepages-1Gi", RequestedAmount.of((1 + random.nextInt(2)) * GIB));
            }
            for (String resource : List.of(GPU, NIC)) {
                if (machine.devices().containsKey(resource) && random.nextInt(3) == 0) {
                    amounts.put(resource, RequestedAmount.of(random.nextInt(large ? 5 : 3)));
                }
            }
            return new ContainerRequest(name, kind, new Resources(amounts, amounts));
        }
    }
}
