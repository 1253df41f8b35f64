package io.numaledger.kubelet;

import io.numaledger.kubelet.config.CpuManagerConfig;
import io.numaledger.kubelet.config.KubeletConfig;
import io.numaledger.kubelet.config.KubeletRules;
import io.numaledger.kubelet.config.KubeletVersion;
import io.numaledger.kubelet.config.MemoryManagerConfig;
import io.numaledger.kubelet.config.TopologyManagerConfig;
import io.numaledger.kubelet.config.TopologyPolicyName;
import io.numaledger.kubelet.config.TopologyScope;
import io.numaledger.kubelet.hint.TopologyHint;
import io.numaledger.pod.ContainerRequest;
import io.numaledger.pod.PodRequest;
import io.numaledger.pod.RequestedAmount;
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
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Two NUMA nodes of four CPUs and 8 GiB each; CPU 0 and 1 GiB of NUMA node 0 are reserved. */
public final class TwoNodeMachine {

    public static final long GIB = 1L << 30;
    public static final AffinityMask NUMA_NODES = AffinityMask.of(0, 1);
    public static final MachineTopology TOPOLOGY = topology();
    public static final KubeletRules RULES = rules();

    private TwoNodeMachine() {}

    private static MachineTopology topology() {
        List<LogicalCpu> cpus = new ArrayList<>();
        for (int cpu = 0; cpu < 8; cpu++) {
            cpus.add(new LogicalCpu(cpu, OptionalInt.of(cpu / 4), cpu, OptionalInt.empty()));
        }
        List<NumaNode> nodes = List.of(node(0, CpuSet.range(0, 3)), node(1, CpuSet.range(4, 7)));
        return new MachineTopology(CpuSet.range(0, 7), nodes, cpus);
    }

    private static NumaNode node(int id, CpuSet cpus) {
        return new NumaNode(id, cpus, OptionalLong.of(8 * GIB), new TreeMap<>(), new TreeMap<>());
    }

    private static KubeletRules rules() {
        KubeletConfig config = new KubeletConfig(
                new KubeletVersion(36),
                TopologyManagerConfig.of(TopologyPolicyName.BEST_EFFORT, TopologyScope.CONTAINER),
                CpuManagerConfig.staticPolicy(CpuSet.of(0)),
                MemoryManagerConfig.staticPolicy(Map.of(0, GIB)));
        return KubeletModel.start(new Machine(TOPOLOGY, new TreeMap<>()), config)
                .rules();
    }

    /** A pod with one container {@code c}. */
    public static PodRequest pod(String name, Map<String, Long> amounts) {
        Map<String, RequestedAmount> requests = new TreeMap<>();
        amounts.forEach((resource, amount) -> requests.put(resource, RequestedAmount.of(amount)));
        return PodRequest.of(name, ContainerRequest.app("c", requests));
    }

    /** Such as {@code {0} preferred, {0,1}}. */
    public static String text(List<TopologyHint> hints) {
        return hints.stream().map(TopologyHint::toString).collect(Collectors.joining(", "));
    }
}
