package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** Reads the facts of one NUMA node from {@code node/nodeN}, each by itself: a missing one leaves the others. */
final class NumaNodeReader {

    private final SysfsReader reader;
    private final Path nodeDirectory;

    NumaNodeReader(SysfsReader reader, Path nodeDirectory) {
        this.reader = reader;
        this.nodeDirectory = nodeDirectory;
    }

    /**
     * The CPUs that the node claims, offline ones included, as old kernels list them: cpulist, else cpumap, else the
     * links {@code nodeN/cpuM}. Absent when there is none of them.
     *
     * @param lastCpu the highest CPU id, if known, which a list may call {@code N}
     */
    Optional<CpuSet> cpus(int node, Optional<Integer> lastCpu) {
        Path directory = directory(node);
        return reader.parsed(
                        directory.resolve("cpulist"),
                        text -> SysfsText.cpus(
                                lastCpu.map(last -> CpuSet.parse(text, last)).orElseGet(() -> CpuSet.parse(text))))
                .or(() -> reader.parsed(directory.resolve("cpumap"), text -> SysfsText.cpus(CpuSet.parseMask(text))))
                .or(() -> Optional.of(CpuSet.of(NumberedNames.ids("cpu", reader.names(directory))))
                        .filter(linked -> !linked.isEmpty()));
    }

    /** {@code MemTotal} of the node: what the kubelet's Memory Manager takes, hugepages included. */
    OptionalLong memoryBytes(int node) {
        return memoryBytes(directory(node).resolve("meminfo"));
    }

    OptionalLong memoryBytes(Path meminfo) {
        return reader.parsed(meminfo, SysfsText::memTotalBytes).stream()
                .mapToLong(Long::longValue)
                .findFirst();
    }

    /** Page size in bytes → {@code nr_hugepages}; no directory means none, as for a node without memory. */
    SortedMap<Long, Long> hugepages(int node) {
        return hugepages(directory(node).resolve("hugepages"));
    }

    SortedMap<Long, Long> hugepages(Path directory) {
        SortedMap<Long, Long> pages = new TreeMap<>();
        for (String name : reader.names(directory)) {
            Path size = directory.resolve(name);
            reader.parsed(size, name, SysfsText::hugepageBytes)
                    .ifPresent(bytes -> reader.parsed(size.resolve("nr_hugepages"), SysfsText::count)
                            .ifPresent(count -> pages.put(bytes, count)));
        }
        return pages;
    }

    /**
     * NUMA node id → distance. The file has one number for each online node, in ascending order: the second number is
     * that of the second online node, not of node 1.
     *
     * @param online the ids of the online NUMA nodes, ascending
     * @return empty, with a warning, when the file has another number of columns than there are online nodes
     */
    SortedMap<Integer, Integer> distances(int node, List<Integer> online) {
        Path file = directory(node).resolve("distance");
        return reader.parsed(file, text -> paired(SysfsText.distances(text), online))
                .orElseGet(TreeMap::new);
    }

    static SortedMap<Integer, Integer> paired(List<Integer> row, List<Integer> online) {
        if (row.size() != online.size()) {
            throw new IllegalArgumentException(
                    "a distance for each online NUMA node is expected: numbers=%d numaNodes=%s"
                            .formatted(row.size(), SysfsText.joined(online)));
        }
        SortedMap<Integer, Integer> distances = new TreeMap<>();
        for (int i = 0; i < row.size(); i++) {
            distances.put(online.get(i), row.get(i));
        }
        return distances;
    }

    boolean has(int node, String file) {
        return Files.exists(directory(node).resolve(file));
    }

    private Path directory(int node) {
        return nodeDirectory.resolve("node" + node);
    }
}
