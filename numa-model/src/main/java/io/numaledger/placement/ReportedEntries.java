package io.numaledger.placement;

import java.util.List;

/**
 * What the kubelet reported of all containers of a pod, entry by entry and in its order: for the placement that KAI's exporter
 * would write.
 *
 * @param cpuIds with repetitions
 * @param devices resource, number of device ids, NUMA nodes
 * @param memory type, bytes, NUMA nodes
 */
public record ReportedEntries(List<Long> cpuIds, List<Entry> devices, List<Entry> memory) {

    /** @param numaNodes as reported, also those that no machine has */
    public record Entry(String resource, long amount, List<Long> numaNodes) {

        public Entry {
            numaNodes = List.copyOf(numaNodes);
        }
    }

    public ReportedEntries {
        cpuIds = List.copyOf(cpuIds);
        devices = List.copyOf(devices);
        memory = List.copyOf(memory);
    }
}
