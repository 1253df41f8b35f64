package io.numaledger.simulator.fleet;

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
import io.numaledger.topology.AffinityMask;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Which kinds of nodes a fleet has. The nodes of a fleet take turns in being of each kind. */
public enum FleetMix {
    /** No CPU Manager options: the fast path decides on all nodes. */
    PLAIN {
        @Override
        public List<KubeletModel> kubelets() {
            return List.of(
                    kubelet(2, 64, TopologyPolicyName.SINGLE_NUMA_NODE, 1, Map.of()),
                    kubelet(2, 96, TopologyPolicyName.RESTRICTED, 1, Map.of()),
                    kubelet(4, 32, TopologyPolicyName.SINGLE_NUMA_NODE, 1, Map.of()),
                    kubelet(8, 16, TopologyPolicyName.RESTRICTED, 1, Map.of()));
        }
    },
    /** CPU Manager options, policy none, and one kind with pods whose memory spans several zones. */
    OPTIONS {
        @Override
        public List<KubeletModel> kubelets() {
            return List.of(
                    kubelet(2, 64, TopologyPolicyName.SINGLE_NUMA_NODE, 1, Map.of("full-pcpus-only", "true")),
                    kubelet(2, 96, TopologyPolicyName.RESTRICTED, 1, Map.of("distribute-cpus-across-numa", "true")),
                    kubelet(4, 32, TopologyPolicyName.RESTRICTED, 1, SOCKETS),
                    kubelet(4, 32, TopologyPolicyName.RESTRICTED, 2, SOCKETS),
                    kubelet(4, 32, TopologyPolicyName.NONE, 1, Map.of()),
                    kubelet(
                            ZONES_WITH_MEMORY_GROUPS,
                            16,
                            TopologyPolicyName.RESTRICTED,
                            1,
                            Map.of("strict-cpu-reservation", "true")));
        }
    },
    /** The kinds of {@link #PLAIN} and {@link #OPTIONS}. */
    MIXED {
        @Override
        public List<KubeletModel> kubelets() {
            return Stream.of(PLAIN, OPTIONS)
                    .flatMap(mix -> mix.kubelets().stream())
                    .toList();
        }
    },
    /** Whole cores only, with one thread each of two cores reserved: only the full model can decide. */
    FULL {
        @Override
        public List<KubeletModel> kubelets() {
            Map<String, String> wholeCores = Map.of("full-pcpus-only", "true");
            return List.of(
                    kubelet(2, 64, TopologyPolicyName.SINGLE_NUMA_NODE, 1, "0,2", wholeCores),
                    kubelet(4, 32, TopologyPolicyName.RESTRICTED, 1, "0,2", wholeCores),
                    kubelet(8, 16, TopologyPolicyName.RESTRICTED, 1, "0,2", wholeCores));
        }
    };

    /** Nodes with this many zones and a CPU Manager option have pods whose memory spans several zones. */
    static final int ZONES_WITH_MEMORY_GROUPS = 8;

    private static final Map<String, String> SOCKETS = Map.of("align-by-socket", "true");
    private static final long GIB = 1L << 30;
    private static final int PER_ZONE_GPUS = 4;

    /** One of each kind. */
    public abstract List<KubeletModel> kubelets();

    /** Nodes with pods. The list can be changed. */
    public List<FleetNode> nodes(int count, int podsPerNode) {
        List<KubeletModel> kubelets = kubelets();
        return IntStream.range(0, count)
                .parallel()
                .mapToObj(i -> {
                    FleetNode node = new FleetNode("node-%05d".formatted(i), kubelets.get(i % kubelets.size()), i);
                    node.fill(podsPerNode);
                    return node;
                })
                .collect(Collectors.toCollection(ArrayList::new));
    }

    private static KubeletModel kubelet(
            int zones, int cpusPerZone, TopologyPolicyName policy, int zonesPerSocket, Map<String, String> cpuOptions) {
        return kubelet(zones, cpusPerZone, policy, zonesPerSocket, "0-1", cpuOptions);
    }

    private static KubeletModel kubelet(
            int zones,
            int cpusPerZone,
            TopologyPolicyName policy,
            int zonesPerSocket,
            String reserved,
            Map<String, String> cpuOptions) {
        List<NumaNode> nodes = new ArrayList<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        SortedMap<String, List<Device>> devices =
                new TreeMap<>(Map.of(FleetPod.GPU, new ArrayList<>(), FleetPod.NIC, new ArrayList<>()));
        for (int zone = 0; zone < zones; zone++) {
            CpuSet own = CpuSet.range(zone * cpusPerZone, (zone + 1) * cpusPerZone - 1);
            int socket = zone / zonesPerSocket;
            own.ids()
                    .forEach(
                            cpu -> cpus.add(new LogicalCpu(cpu, OptionalInt.of(socket), cpu / 2, OptionalInt.empty())));
            nodes.add(new NumaNode(
                    zone, own, OptionalLong.of(512 * GIB / zones), new TreeMap<>(), distances(zones, zone)));
            for (int i = 0; i < PER_ZONE_GPUS; i++) {
                for (var resource : devices.entrySet()) {
                    resource.getValue().add(new Device("%d-%d".formatted(zone, i), AffinityMask.of(zone), true));
                }
            }
        }
        MachineTopology topology = new MachineTopology(CpuSet.range(0, zones * cpusPerZone - 1), nodes, cpus);
        return KubeletModel.start(
                new Machine(topology, devices),
                new KubeletConfig(
                        new KubeletVersion(36),
                        TopologyManagerConfig.of(policy, TopologyScope.CONTAINER),
                        new CpuManagerConfig(
                                CpuPolicy.STATIC,
                                new TreeMap<>(cpuOptions),
                                CpuSet.parse(reserved),
                                OptionalLong.empty()),
                        MemoryManagerConfig.staticPolicy(Map.of(0, GIB)),
                        new TreeMap<>(Map.of("CPUManagerPolicyAlphaOptions", true))));
    }

    private static SortedMap<Integer, Integer> distances(int zones, int from) {
        SortedMap<Integer, Integer> distances = new TreeMap<>();
        for (int to = 0; to < zones; to++) {
            distances.put(to, to == from ? 10 : 21);
        }
        return distances;
    }
}
