package io.numaledger.simulator.hardware;

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

import static java.util.Objects.requireNonNull;

/**
 * Numbers the logical CPUs of a node as Linux does on common x86 servers: first one thread of every core, NUMA node by NUMA
 * node, then the second threads in the same order, and so on. All CPUs of a NUMA node share one L3 cache.
 */
final class CpuNumbering {

    private CpuNumbering() {}

    static MachineTopology machine(NodeSpec spec) {
        if (spec.numaNodes().stream().anyMatch(node -> node.layout().isPresent())) {
            return recorded(spec);
        }
        Map<Integer, List<Integer>> idsOfNode = new TreeMap<>();
        List<LogicalCpu> cpus = new ArrayList<>();
        int threads = spec.numaNodes().stream()
                .mapToInt(NumaNodeSpec::threadsPerCore)
                .max()
                .orElseThrow();
        for (int thread = 0; thread < threads; thread++) {
            for (NumaNodeSpec node : spec.numaNodes()) {
                List<Integer> ids = idsOfNode.computeIfAbsent(node.id(), id -> new ArrayList<>());
                for (int core = 0; core < node.cores() && thread < node.threadsPerCore(); core++) {
                    int id = cpus.size();
                    ids.add(id);
                    cpus.add(new LogicalCpu(
                            id, OptionalInt.of(node.socket()), ids.get(core), OptionalInt.of(node.id())));
                }
            }
        }
        List<NumaNode> nodes = spec.numaNodes().stream()
                .map(node -> numaNode(spec, node, CpuSet.of(requireNonNull(idsOfNode.get(node.id())))))
                .toList();
        return new MachineTopology(CpuSet.range(0, cpus.size() - 1), nodes, cpus);
    }

    /** CPUs are numbered as the NUMA nodes say. */
    private static MachineTopology recorded(NodeSpec spec) {
        List<LogicalCpu> cpus = new ArrayList<>();
        List<NumaNode> nodes = new ArrayList<>();
        CpuSet online = CpuSet.EMPTY;
        for (NumaNodeSpec node : spec.numaNodes()) {
            CpuLayout layout = node.layout().orElse(new CpuLayout(List.of(), List.of()));
            for (CpuSet core : layout.cores()) {
                core.ids()
                        .forEach(cpu -> cpus.add(new LogicalCpu(
                                cpu,
                                OptionalInt.of(node.socket()),
                                core.ids().min().orElseThrow(),
                                layout.l3Cache(cpu).ids().min())));
            }
            nodes.add(numaNode(spec, node, layout.cpus()));
            online = online.union(layout.cpus());
        }
        return new MachineTopology(online, nodes, cpus);
    }

    private static NumaNode numaNode(NodeSpec spec, NumaNodeSpec node, CpuSet cpus) {
        return new NumaNode(
                node.id(),
                cpus,
                OptionalLong.of(node.memoryBytes()),
                node.hugepages(),
                requireNonNull(spec.distances().get(node.id())));
    }
}
