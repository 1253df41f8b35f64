package io.numaledger.topology;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The NUMA shape of one machine.
 *
 * @param onlineCpus all online CPUs, also those of no known NUMA node
 * @param numaNodes by ascending id, each id once
 * @param cpus the location of each online CPU, by ascending id; CPUs of unknown location are missing
 */
public record MachineTopology(CpuSet onlineCpus, List<NumaNode> numaNodes, List<LogicalCpu> cpus) {

    public MachineTopology {
        numaNodes =
                numaNodes.stream().sorted(Comparator.comparingInt(NumaNode::id)).toList();
        cpus = cpus.stream().sorted(Comparator.comparingInt(LogicalCpu::id)).toList();
        Map<Integer, Long> counts = numaNodes.stream()
                .map(NumaNode::id)
                .collect(Collectors.groupingBy(Function.identity(), Collectors.counting()));
        counts.forEach((id, count) -> {
            if (count > 1) {
                throw new IllegalArgumentException("duplicate NUMA node id: id=%d count=%d".formatted(id, count));
            }
        });
    }

    public Optional<NumaNode> numaNode(int id) {
        return numaNodes.stream().filter(node -> node.id() == id).findFirst();
    }

    /** The NUMA node that a CPU belongs to; absent when the CPU is unknown or belongs to none. */
    public OptionalInt numaNodeOfCpu(int cpu) {
        return numaNodes.stream()
                .filter(node -> node.cpus().contains(cpu))
                .mapToInt(NumaNode::id)
                .findFirst();
    }

    /** The number of cores with an online CPU in {@link #cpus}. */
    public int coreCount() {
        return (int) cpus.stream().mapToInt(LogicalCpu::core).distinct().count();
    }

    /** The number of physical packages with an online CPU in {@link #cpus}. */
    public int socketCount() {
        return (int) cpus.stream()
                .flatMapToInt(cpu -> cpu.socket().stream())
                .distinct()
                .count();
    }
}
