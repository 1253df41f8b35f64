package io.numaledger.simulator.hardware;

import java.util.Optional;
import java.util.SortedMap;

import static io.numaledger.topology.Sorted.sorted;

/**
 * One NUMA node of simulated hardware.
 *
 * @param id 0–1023, ids may be sparse
 * @param socket physical package, 0 or more
 * @param cores 0 for a node of memory only
 * @param threadsPerCore 1 or more
 * @param memoryBytes all of its memory, hugepages included; whole KiB, as the kernel tells it
 * @param hugepages page size in bytes → number of pages
 * @param layout its CPUs; empty: numbered as on common x86 servers
 */
public record NumaNodeSpec(
        int id,
        int socket,
        int cores,
        int threadsPerCore,
        long memoryBytes,
        SortedMap<Long, Long> hugepages,
        Optional<CpuLayout> layout) {

    static final int MAX_ID = 1023;

    public NumaNodeSpec {
        require(id >= 0 && id <= MAX_ID, "id", id, "0 to " + MAX_ID);
        require(socket >= 0, "socket", socket, "0 or more");
        require(cores >= 0 && cores <= NodeSpec.MAX_CPUS, "cores", cores, "0 to " + NodeSpec.MAX_CPUS);
        require(
                threadsPerCore >= 1 && threadsPerCore <= NodeSpec.MAX_CPUS,
                "threadsPerCore",
                threadsPerCore,
                "1 to " + NodeSpec.MAX_CPUS);
        require(memoryBytes >= 0 && memoryBytes % 1024 == 0, "memory", memoryBytes, "bytes in whole KiB");
        hugepages = sorted(hugepages);
        hugepages.forEach((size, count) -> {
            require(size > 0 && size % 1024 == 0, "hugepages", size, "page sizes in whole KiB");
            require(count >= 0, "hugepages", count, "0 pages or more");
        });
        long huge = hugepages.entrySet().stream()
                .mapToLong(pages -> Math.multiplyExact(pages.getKey(), pages.getValue()))
                .reduce(0, Math::addExact);
        require(
                huge <= memoryBytes,
                "hugepages",
                huge,
                "at most the memory of the NUMA node, %d".formatted(memoryBytes));
    }

    public int cpuCount() {
        return cores * threadsPerCore;
    }

    private static void require(boolean holds, String field, long value, String expected) {
        if (!holds) {
            throw new IllegalArgumentException("not a NUMA node: %s=%d; expected %s".formatted(field, value, expected));
        }
    }
}
