package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import static io.numaledger.simulator.hardware.SysfsFile.line;
import static io.numaledger.simulator.hardware.SysfsFile.link;
import static io.numaledger.simulator.hardware.SysfsFile.mask;
import static io.numaledger.simulator.hardware.SysfsFile.text;

/** {@code /sys/devices/system/node}, the hugepages of the whole machine, and {@code /proc/meminfo} of one node. */
final class NumaFiles {

    private static final long KIB = 1024;

    /** Every x86-64 server shows these two sizes, with no pages unless somebody asked for them. */
    private static final List<Long> USUAL_PAGE_SIZES = List.of(2048 * KIB, 1048576 * KIB);

    private final MachineTopology machine;

    NumaFiles(MachineTopology machine) {
        this.machine = machine;
    }

    void write(Path root) throws IOException {
        Path nodeDir = root.resolve("sys/devices/system/node");
        for (NumaNode node : machine.numaNodes()) {
            writeNode(node, nodeDir.resolve("node" + node.id()));
            link(
                    root.resolve("sys/bus/node/devices/node" + node.id()),
                    "../../../devices/system/node/node" + node.id());
        }
        line(nodeDir.resolve("online"), ids(node -> true));
        line(nodeDir.resolve("possible"), ids(node -> true));
        line(nodeDir.resolve("has_cpu"), ids(node -> !node.cpus().isEmpty()));
        line(nodeDir.resolve("has_memory"), ids(node -> bytes(node) > 0));
        line(nodeDir.resolve("has_normal_memory"), ids(node -> bytes(node) > 0));
        writeHugepages(root.resolve("sys/kernel/mm/hugepages"), hugepagesOfMachine());
        text(root.resolve("proc/meminfo"), meminfo());
    }

    private void writeNode(NumaNode node, Path dir) throws IOException {
        line(dir.resolve("cpulist"), node.cpus());
        line(dir.resolve("cpumap"), mask(node.cpus()));
        line(
                dir.resolve("distance"),
                node.distances().values().stream().map(String::valueOf).collect(Collectors.joining(" ")));
        text(dir.resolve("meminfo"), """
                Node %1$d MemTotal:       %2$d kB
                Node %1$d MemFree:        %3$d kB
                Node %1$d MemUsed:        %4$d kB
                """.formatted(
                        node.id(), bytes(node) / KIB, freeBytes(node) / KIB, hugeBytes(node) / KIB));
        writeHugepages(dir.resolve("hugepages"), withUsualSizes(node.hugepages()));
        for (int cpu : node.cpus().toArray()) {
            link(dir.resolve("cpu" + cpu), "../../cpu/cpu" + cpu);
        }
    }

    private static void writeHugepages(Path dir, SortedMap<Long, Long> pages) throws IOException {
        for (Map.Entry<Long, Long> entry : pages.entrySet()) {
            Path size = dir.resolve("hugepages-%dkB".formatted(entry.getKey() / KIB));
            line(size.resolve("nr_hugepages"), entry.getValue());
            line(size.resolve("free_hugepages"), entry.getValue());
            line(size.resolve("surplus_hugepages"), 0);
        }
    }

    private SortedMap<Long, Long> hugepagesOfMachine() {
        SortedMap<Long, Long> sums = withUsualSizes(new TreeMap<>());
        machine.numaNodes()
                .forEach(node -> node.hugepages().forEach((size, count) -> sums.merge(size, count, Long::sum)));
        return sums;
    }

    static SortedMap<Long, Long> withUsualSizes(SortedMap<Long, Long> pages) {
        SortedMap<Long, Long> all = new TreeMap<>(pages);
        USUAL_PAGE_SIZES.forEach(size -> all.putIfAbsent(size, 0L));
        return all;
    }

    private String meminfo() {
        long total = machine.numaNodes().stream().mapToLong(NumaFiles::bytes).sum();
        long free = machine.numaNodes().stream().mapToLong(NumaFiles::freeBytes).sum();
        long pages = hugepagesOfMachine().getOrDefault(USUAL_PAGE_SIZES.get(0), 0L);
        return """
                MemTotal:       %1$d kB
                MemFree:        %2$d kB
                MemAvailable:   %2$d kB
                SwapTotal:      0 kB
                SwapFree:       0 kB
                HugePages_Total: %3$d
                HugePages_Free:  %3$d
                Hugepagesize:   2048 kB
                """.formatted(total / KIB, free / KIB, pages);
    }

    private CpuSet ids(Predicate<NumaNode> which) {
        return CpuSet.of(
                machine.numaNodes().stream().filter(which).map(NumaNode::id).toList());
    }

    private static long bytes(NumaNode node) {
        return node.memoryBytes().orElseThrow();
    }

    private static long freeBytes(NumaNode node) {
        return bytes(node) - hugeBytes(node);
    }

    private static long hugeBytes(NumaNode node) {
        return node.hugepages().entrySet().stream()
                .mapToLong(pages -> pages.getKey() * pages.getValue())
                .sum();
    }
}
