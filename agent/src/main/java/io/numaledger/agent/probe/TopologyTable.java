package io.numaledger.agent.probe;

import io.numaledger.cli.TextTable;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A machine's topology for people: one line about the CPUs, a row for each NUMA node, and the distances between them
 * where there are several. A dash stands for what is unknown or not there.
 */
final class TopologyTable {

    private static final String UNKNOWN = "-";
    private static final long GIB = 1L << 30;

    private TopologyTable() {}

    static String print(MachineTopology machine) {
        List<String> parts = new ArrayList<>();
        parts.add(summary(machine) + "\n");
        if (!machine.numaNodes().isEmpty()) {
            parts.add(nodes(machine.numaNodes()));
        }
        if (machine.numaNodes().size() > 1
                && machine.numaNodes().stream()
                        .anyMatch(node -> !node.distances().isEmpty())) {
            parts.add(distances(machine.numaNodes()));
        }
        return String.join("\n", parts);
    }

    private static String summary(MachineTopology machine) {
        return Stream.of(
                        Stream.of(counted(machine.onlineCpus().size(), "online CPU")),
                        known(machine.coreCount(), "core"),
                        threads(machine),
                        known(machine.socketCount(), "socket"),
                        known(caches(machine), "L3 cache"),
                        Stream.of(counted(machine.numaNodes().size(), "NUMA node")))
                .flatMap(Function.identity())
                .collect(Collectors.joining(", "));
    }

    private static String counted(int count, String noun) {
        return "%d %s%s".formatted(count, noun, count == 1 ? "" : "s");
    }

    /** The count of some things; empty if none was found: the machine does not report them. */
    private static Stream<String> known(int count, String noun) {
        return count == 0 ? Stream.empty() : Stream.of(counted(count, noun));
    }

    private static int caches(MachineTopology machine) {
        return (int) machine.cpus().stream()
                .flatMapToInt(cpu -> cpu.l3Cache().stream())
                .distinct()
                .count();
    }

    private static Stream<String> threads(MachineTopology machine) {
        LongSummaryStatistics threads = machine.cpus().stream()
                .collect(Collectors.groupingBy(LogicalCpu::core, Collectors.counting()))
                .values()
                .stream()
                .mapToLong(Long::longValue)
                .summaryStatistics();
        if (threads.getCount() == 0) {
            return Stream.empty();
        }
        if (threads.getMax() == 1) {
            return Stream.of("no SMT");
        }
        return Stream.of(
                threads.getMin() == threads.getMax()
                        ? "%d threads per core".formatted(threads.getMax())
                        : "%d to %d threads per core".formatted(threads.getMin(), threads.getMax()));
    }

    private static String nodes(List<NumaNode> nodes) {
        TextTable table = new TextTable(List.of("NODE", "CPUS", "MEMORY", "HUGEPAGES", "CPU IDS"));
        for (NumaNode node : nodes) {
            table.row(List.of(
                    String.valueOf(node.id()),
                    String.valueOf(node.cpus().size()),
                    node.memoryBytes().isPresent() ? gib(node.memoryBytes().getAsLong()) : UNKNOWN,
                    hugepages(node),
                    node.cpus().isEmpty() ? UNKNOWN : node.cpus().toString()));
        }
        return table.print();
    }

    /** The bytes in GiB with one decimal, rounded to the nearest. */
    static String gib(long bytes) {
        long tenths = Math.addExact(Math.multiplyExact(bytes / GIB, 10L), (bytes % GIB * 10 + GIB / 2) / GIB);
        return "%d.%d GiB".formatted(tenths / 10, tenths % 10);
    }

    private static String hugepages(NumaNode node) {
        String text = node.hugepages().entrySet().stream()
                .map(entry -> "%s x %d".formatted(pageSize(entry.getKey()), entry.getValue()))
                .collect(Collectors.joining(", "));
        return text.isEmpty() ? UNKNOWN : text;
    }

    /** The size as Kubernetes names its resources: 2Mi, 1Gi. */
    static String pageSize(long bytes) {
        if (bytes % GIB == 0) {
            return bytes / GIB + "Gi";
        }
        return bytes % (1L << 20) == 0 ? (bytes >> 20) + "Mi" : (bytes >> 10) + "Ki";
    }

    private static String distances(List<NumaNode> nodes) {
        List<String> ids = nodes.stream().map(node -> String.valueOf(node.id())).toList();
        TextTable table =
                new TextTable(Stream.concat(Stream.of("DISTANCE"), ids.stream()).toList());
        for (NumaNode from : nodes) {
            Function<NumaNode, String> distance = to -> from.distances().containsKey(to.id())
                    ? String.valueOf(from.distances().get(to.id()))
                    : UNKNOWN;
            table.row(Stream.concat(
                            Stream.of(String.valueOf(from.id())), nodes.stream().map(distance))
                    .toList());
        }
        return table.print();
    }
}
