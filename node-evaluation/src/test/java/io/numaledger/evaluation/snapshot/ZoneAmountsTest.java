package io.numaledger.evaluation.snapshot;

import io.numaledger.kubelet.Admission;
import io.numaledger.kubelet.Decision;
import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.PredictedContainer;
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
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

import static org.assertj.core.api.Assertions.assertThat;

/** The largest requests against the kubelet model: a pod is kept in a zone by a device that only this zone has. */
class ZoneAmountsTest {

    private static final String CPU = "cpu";
    private static final String MEMORY = "memory";
    private static final String HUGEPAGES = "hugepages-2Mi";
    private static final String NIC = "example.com/nic";
    private static final long MIB = 1 << 20;
    private static final int MOST_CPUS = 14;

    private static int lessThanFree;

    static LongStream seeds() {
        return LongStream.range(0, 400);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void largestRequestsAreWhatTheKubeletModelAdmitsInAZoneAlone(long seed) {
        Random random = new Random(seed);
        Node node = new Node(random);
        node.fill(random);

        for (NumaNode zone : node.model.machine().topology().numaNodes()) {
            SortedMap<String, Long> free = ZoneAmounts.free(node.model, node.state, zone);
            SortedMap<String, Long> largest = ZoneAmounts.largestRequests(node.model, node.state, zone);
            lessThanFree += largest.entrySet().stream()
                            .anyMatch(each -> !each.getValue().equals(free.get(each.getKey())))
                    ? 1
                    : 0;
            boolean takesMemory = largest.getOrDefault(MEMORY, 1L) > 0;
            node.assertLargest(zone, MEMORY, largest.getOrDefault(MEMORY, free.getOrDefault(MEMORY, 0L)), 1);
            if (takesMemory) {
                assertThat(largest.get(CPU)).isEqualTo(1000L * node.mostCpus(zone));
                node.assertLargest(zone, NIC, free.getOrDefault(NIC, 0L), 1);
                if (largest.containsKey(HUGEPAGES)) {
                    node.assertLargest(zone, HUGEPAGES, largest.get(HUGEPAGES), 2 * MIB);
                }
            }
        }
    }

    @AfterAll
    static void oftenDifferFromWhatIsFree() {
        assertThat(lessThanFree).isGreaterThan(100);
    }

    private static final class Node {

        private final KubeletModel model;
        private NodeState state;

        private Node(Random random) {
            int threads = 1 + random.nextInt(2);
            int cpusPerZone = threads * (1 + random.nextInt(6));
            int zones = 1 + random.nextInt(3);
            SortedMap<Long, Long> hugepages =
                    random.nextBoolean() ? new TreeMap<>(Map.of(2 * MIB, 8L)) : new TreeMap<>();
            List<NumaNode> nodes = new ArrayList<>();
            List<LogicalCpu> cpus = new ArrayList<>();
            SortedMap<Integer, SortedMap<String, Long>> reserved = new TreeMap<>();
            for (int id = 0; id < zones; id++) {
                CpuSet own = CpuSet.range(id * cpusPerZone, (id + 1) * cpusPerZone - 1);
                OptionalInt socket = OptionalInt.of(id);
                own.ids().forEach(cpu -> cpus.add(new LogicalCpu(cpu, socket, cpu / threads, OptionalInt.empty())));
                nodes.add(new NumaNode(id, own, OptionalLong.of(100 * MIB), hugepages, new TreeMap<>()));
                reserved.put(id, new TreeMap<>(Map.of(MEMORY, MIB)));
                if (!hugepages.isEmpty()) {
                    reserved.get(id).put(HUGEPAGES, random.nextInt(3) * MIB);
                }
            }
            SortedMap<String, String> options =
                    new TreeMap<>(random.nextInt(3) > 0 ? Map.of("full-pcpus-only", "true") : Map.of());
            boolean keepsMemory = random.nextInt(3) > 0;
            KubeletConfig config = new KubeletConfig(
                    new KubeletVersion(36),
                    TopologyManagerConfig.of(
                            random.nextInt(3) > 0 ? TopologyPolicyName.RESTRICTED : TopologyPolicyName.SINGLE_NUMA_NODE,
                            TopologyScope.CONTAINER),
                    new CpuManagerConfig(
                            CpuPolicy.STATIC, options, CpuSet.range(0, random.nextInt(threads)), OptionalLong.empty()),
                    keepsMemory
                            ? new MemoryManagerConfig(MemoryPolicy.STATIC, reserved, Optional.empty())
                            : MemoryManagerConfig.OFF,
                    new TreeMap<>());
            MachineTopology machine = new MachineTopology(CpuSet.range(0, cpus.size() - 1), nodes, cpus);
            model = KubeletModel.start(new Machine(machine, devices(zones, random)), config);
            state = model.empty();
        }

        private static SortedMap<String, List<Device>> devices(int zones, Random random) {
            SortedMap<String, List<Device>> devices = new TreeMap<>();
            List<Device> nics = new ArrayList<>();
            for (int id = 0; id < zones; id++) {
                AffinityMask zone = AffinityMask.of(id);
                devices.put(anchor(id), List.of(new Device("only-" + id, zone, true)));
                int first = nics.size();
                int count = random.nextInt(4);
                IntStream.range(first, first + count).forEach(each -> nics.add(new Device("nic-" + each, zone, true)));
            }
            nics.add(new Device(
                    "nic-of-all", AffinityMask.of(IntStream.range(0, zones).toArray()), true));
            nics.add(new Device("nic-of-none", AffinityMask.NONE, true));
            devices.put(NIC, nics);
            return devices;
        }

        private static String anchor(int zone) {
            return "example.com/zone-" + zone;
        }

        private void fill(Random random) {
            for (int i = random.nextInt(6); i > 0; i--) {
                Map<String, RequestedAmount> requests = new TreeMap<>(Map.of(
                        CPU, RequestedAmount.of(1 + random.nextInt(4)),
                        MEMORY, RequestedAmount.of((1 + random.nextInt(120)) * MIB)));
                if (random.nextInt(3) == 0) {
                    requests.put(NIC, RequestedAmount.of(1));
                }
                Decision decision = model.admit(state, PodRequest.of("p" + i, ContainerRequest.app("c", requests)));
                state = decision.admission().isAdmitted() ? decision.state() : state;
            }
            state = model.removeStaleState(state);
        }

        private void assertLargest(NumaNode zone, String resource, long largest, long step) {
            if (model.memory().isEmpty() && !resource.equals(NIC)) {
                return;
            }
            assertThat(largest == 0 || takes(zone, resource, largest))
                    .as("%s takes %d of %s", zone.zoneName(), largest, resource)
                    .isTrue();
            assertThat(takes(zone, resource, largest + step))
                    .as("%s takes more than %d of %s", zone.zoneName(), largest, resource)
                    .isFalse();
        }

        private int mostCpus(NumaNode zone) {
            return IntStream.rangeClosed(1, MOST_CPUS)
                    .filter(count -> takes(zone, CPU, count))
                    .max()
                    .orElse(0);
        }

        private boolean takes(NumaNode zone, String resource, long amount) {
            Map<String, RequestedAmount> requests = new TreeMap<>(Map.of(
                    CPU,
                    RequestedAmount.ofMillis(100),
                    MEMORY,
                    RequestedAmount.of(1),
                    anchor(zone.id()),
                    RequestedAmount.of(1)));
            requests.put(resource, RequestedAmount.of(amount));
            return model.admit(state, PodRequest.of("tried", ContainerRequest.app("c", requests)))
                                    .admission()
                            instanceof Admission.Admitted admitted
                    && isAllOn(zone, admitted.container("c").orElseThrow());
        }

        /** Under the policy restricted, a request that one zone cannot serve may get the rest from another. */
        private static boolean isAllOn(NumaNode zone, PredictedContainer container) {
            return zone.cpus().containsAll(container.cpus())
                    && container.memory().stream()
                            .allMatch(block -> block.numaNodes().equals(Set.of(zone.id())))
                    && container.deviceCounts().getOrDefault(NIC, new TreeMap<>()).keySet().stream()
                            .allMatch(mask -> new AffinityMask(mask).contains(zone.id()));
        }
    }
}
