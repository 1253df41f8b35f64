package io.numaledger.fastpath;

import io.numaledger.kubelet.KubeletModel;
import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.CpuPolicy;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
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

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;

/** A machine with its kubelet, and pods for it, as chance wills: everything that may take counts beyond what they say. */
final class RandomNode {

    static final String UNZONED = "devices.kubevirt.io/kvm";
    private static final List<String> RESOURCES = List.of("example.com/nic", "nvidia.com/gpu");
    private static final List<String> OPTIONS = List.of(
            "full-pcpus-only",
            "full-pcpus-only",
            "distribute-cpus-across-numa",
            "distribute-cpus-across-cores",
            "align-by-socket",
            "strict-cpu-reservation",
            "prefer-align-cpus-by-uncorecache");
    private static final SortedMap<String, Boolean> GATES =
            new TreeMap<>(Map.of("CPUManagerPolicyAlphaOptions", true, "TopologyManagerPolicyAlphaOptions", true));
    private static final long GIB = 1L << 30;

    private final int zones;
    private final int step;
    private final int zonesWithCpus;
    private final int cpusPerZone;
    private final int threads;
    private final int zonesPerSocket;
    private final Shape shape;
    private final long memoryPerZone;
    private final KubeletModel model;

    /** How cores and sockets lie in the zones. */
    private enum Shape {
        REGULAR,
        /** Some sockets lie in two zones. */
        OVERLAPPING_SOCKETS,
        /** Some cores have two CPUs, others one. */
        HYBRID_CORES,
        /** The first zone is a socket of its own, the others share one. */
        UNEVEN_SOCKETS
    }

    RandomNode(Random random) {
        this(random, List.of(1, 2, 2, 4, 8).get(random.nextInt(5)), random.nextInt(5) == 0 ? 3 : 1, 8);
    }

    /** A machine of 10 to 64 zones, most of them without CPUs, or all with. */
    static RandomNode ofManyZones(Random random) {
        boolean all = random.nextInt(4) == 0;
        int zones = all ? 10 + random.nextInt(7) : List.of(10, 17, 34, 64).get(random.nextInt(4));
        return new RandomNode(random, zones, 1, all ? zones : 1 + random.nextInt(3));
    }

    private RandomNode(Random random, int zones, int step, int zonesWithCpus) {
        this.zones = zones;
        this.step = step;
        this.zonesWithCpus = Math.min(zones, zonesWithCpus);
        threads = 1 + random.nextInt(2);
        zonesPerSocket = 1 + random.nextInt(2);
        cpusPerZone = 4 * (1 + random.nextInt(3));
        shape = random.nextInt(8) > 0 ? Shape.REGULAR : Shape.values()[1 + random.nextInt(3)];
        memoryPerZone = (8 + random.nextInt(8)) * GIB;
        model = KubeletModel.start(machine(random), config(random));
    }

    KubeletModel model() {
        return model;
    }

    private Machine machine(Random random) {
        List<NumaNode> nodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        SortedMap<String, List<Device>> devices = new TreeMap<>();
        for (int zone = 0; zone < zones; zone++) {
            int id = zone * step;
            boolean withCpus = zone < zonesWithCpus;
            CpuSet own = withCpus ? CpuSet.range(zone * cpusPerZone, (zone + 1) * cpusPerZone - 1) : CpuSet.EMPTY;
            own.ids()
                    .forEach(cpu -> cpus.add(
                            new LogicalCpu(cpu, OptionalInt.of(socket(cpu, id)), core(cpu), OptionalInt.empty())));
            long bytes =
                    withCpus || random.nextInt(4) == 0 ? random.nextInt(6) == 0 ? memoryPerZone / 2 : memoryPerZone : 0;
            SortedMap<Long, Long> pages = new TreeMap<>(Map.of(1L << 21, bytes == 0 ? 0L : (long) random.nextInt(512)));
            nodes.add(new NumaNode(id, own, OptionalLong.of(bytes), pages, distances(id, random)));
            for (String resource : withCpus || random.nextInt(8) == 0 ? RESOURCES : List.<String>of()) {
                addDevices(devices, resource, id, random);
            }
        }
        for (int i = random.nextBoolean() ? 0 : 2 + random.nextInt(12); i > 0; i--) {
            devices.computeIfAbsent(UNZONED, any -> new ArrayList<>())
                    .add(new Device("kvm-" + i, AffinityMask.NONE, random.nextInt(12) > 0));
        }
        return new Machine(new MachineTopology(CpuSet.range(0, zonesWithCpus * cpusPerZone - 1), nodes, cpus), devices);
    }

    private int socket(int cpu, int numaNode) {
        int half = Math.max(1, cpusPerZone / threads / 2);
        return switch (shape) {
            case OVERLAPPING_SOCKETS -> (cpu / threads + 1) / (zonesPerSocket * half + 1);
            case UNEVEN_SOCKETS -> Math.min(1, numaNode);
            case REGULAR, HYBRID_CORES -> numaNode / zonesPerSocket;
        };
    }

    private int core(int cpu) {
        boolean pair = shape == Shape.HYBRID_CORES && cpu % 4 < 2;
        return pair ? cpu - cpu % 2 : shape == Shape.HYBRID_CORES ? cpu : cpu / threads;
    }

    /** A ring, and now and then a zone that is not even near to itself. */
    private SortedMap<Integer, Integer> distances(int from, Random random) {
        SortedMap<Integer, Integer> distances = new TreeMap<>();
        for (int zone = 0; zone < zones; zone++) {
            distances.put(zone * step, 10 + 2 * Math.abs(zone * step - from));
        }
        if (random.nextInt(30) == 0) {
            distances.put(from, 11);
        }
        return distances;
    }

    private void addDevices(SortedMap<String, List<Device>> devices, String resource, int id, Random random) {
        for (int i = random.nextInt(4); i > 0; i--) {
            AffinityMask mask = switch (random.nextInt(60)) {
                case 0 -> AffinityMask.of(List.of(0, (zones - 1) * step));
                case 1 -> AffinityMask.NONE;
                default -> AffinityMask.of(id);
            };
            devices.computeIfAbsent(resource, any -> new ArrayList<>())
                    .add(new Device("%s-%d-%d".formatted(resource, id, i), mask, random.nextInt(12) > 0));
        }
    }

    private KubeletConfig config(Random random) {
        TopologyPolicyName policy = List.of(TopologyPolicyName.values()).get(random.nextInt(4));
        SortedMap<String, String> options = new TreeMap<>();
        String option = OPTIONS.get(random.nextInt(OPTIONS.size()));
        boolean refused = option.equals("align-by-socket") && policy == TopologyPolicyName.SINGLE_NUMA_NODE;
        refused |= option.equals("align-by-socket") && shape == Shape.OVERLAPPING_SOCKETS;
        if (random.nextBoolean() && !refused) {
            options.put(option, "true");
        }
        CpuSet reserved = CpuSet.range(0, random.nextInt(2));
        SortedMap<String, String> topologyOptions =
                new TreeMap<>(random.nextInt(4) == 0 ? Map.of("prefer-closest-numa-nodes", "true") : Map.of());
        if (zones > 8) {
            topologyOptions.put("max-allowable-numa-nodes", "64");
        }
        return new KubeletConfig(
                new KubeletVersion(38 - random.nextInt(options.isEmpty() && zones <= 8 ? 11 : 4)),
                new TopologyManagerConfig(
                        policy, List.of(TopologyScope.values()).get(random.nextInt(2)), topologyOptions),
                random.nextInt(5) == 0
                        ? CpuManagerConfig.OFF
                        : new CpuManagerConfig(CpuPolicy.STATIC, options, reserved, OptionalLong.empty()),
                random.nextInt(3) > 0 ? MemoryManagerConfig.staticPolicy(Map.of(0, GIB)) : MemoryManagerConfig.OFF,
                GATES);
    }

    PodRequest randomPod(String name, Random random) {
        List<ContainerRequest> inits = new ArrayList<>();
        for (int i = random.nextInt(3) == 0 ? 1 + random.nextInt(2) : 0; i > 0; i--) {
            Kind kind = random.nextInt(3) > 0 ? Kind.PLAIN_INIT : Kind.SIDECAR;
            inits.add(new ContainerRequest("i" + i, kind, resources(random)));
        }
        List<ContainerRequest> apps = new ArrayList<>();
        for (int i = 1 + random.nextInt(3); i > 0; i--) {
            apps.add(new ContainerRequest("c" + i, Kind.APP, resources(random)));
        }
        List<ContainerRequest> all = new ArrayList<>(inits);
        all.addAll(apps);
        QosClass qos = QosClass.compute(Optional.empty(), all);
        return new PodRequest(name, qos, Optional.empty(), inits, apps);
    }

    private Resources resources(Random random) {
        SortedMap<String, RequestedAmount> amounts = new TreeMap<>();
        if (random.nextInt(12) > 0) {
            amounts.put("cpu", random.nextInt(5) == 0 ? RequestedAmount.ofMillis(1500) : cpus(random));
            amounts.put("memory", memory(random));
        }
        if (random.nextInt(6) == 0) {
            amounts.put("hugepages-2Mi", RequestedAmount.of((1 + random.nextInt(200)) * (2L << 20)));
        }
        for (String resource : RESOURCES) {
            if (random.nextInt(3) == 0) {
                amounts.put(
                        resource,
                        RequestedAmount.of(
                                random.nextInt(8) == 0 ? 0 : 1 + random.nextInt(random.nextInt(5) == 0 ? 6 : 2)));
            }
        }
        if (random.nextInt(6) == 0) {
            amounts.put(UNZONED, RequestedAmount.of(1 + random.nextInt(3)));
        }
        return new Resources(amounts, amounts);
    }

    /** Nearly always whole cores. */
    private RequestedAmount cpus(Random random) {
        int most = random.nextInt(5) == 0 ? 2 * cpusPerZone : cpusPerZone * 2 / 3;
        int each = random.nextInt(4) == 0 ? 1 : threads;
        return RequestedAmount.of((long) each * (1 + random.nextInt(most / each)));
    }

    private static RequestedAmount memory(Random random) {
        return switch (random.nextInt(20)) {
            case 0 -> RequestedAmount.parse("1.5Gi");
            case 1 -> RequestedAmount.of(12 * GIB);
            case 2, 3 -> RequestedAmount.of((8 + random.nextInt(16)) * GIB);
            case 4, 5, 6 -> RequestedAmount.of((4 + random.nextInt(6)) * GIB);
            default -> RequestedAmount.of((1 + random.nextInt(3)) * GIB);
        };
    }
}
