package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.NumaNode;

import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The NUMA nodes of a kernel without NUMA, which has no node directory: a machine of one package is node 0 with all of
 * the memory; one of several has a node for each package id, as the kubelet counts them
 * (cadvisor utils/sysinfo/sysinfo.go GetNodesInfo), and the memory of each is not known.
 */
final class ImplicitNodes {

    private final SysfsReader reader;
    private final Path sysfsRoot;
    private final Path procRoot;

    ImplicitNodes(SysfsReader reader, Path sysfsRoot, Path procRoot) {
        this.reader = reader;
        this.sysfsRoot = sysfsRoot;
        this.procRoot = procRoot;
    }

    /** The implicit NUMA nodes; none when there is no CPU either. */
    List<NumaNode> read(CpuSet online, List<LogicalCpu> cpus) {
        if (online.isEmpty()) {
            return List.of();
        }
        SortedMap<Integer, CpuSet> packages = new TreeMap<>();
        for (LogicalCpu cpu : cpus) {
            cpu.socket().ifPresent(socket -> packages.merge(socket, CpuSet.of(cpu.id()), CpuSet::union));
        }
        return packages.size() > 1 ? onePerPackage(packages) : List.of(theOnly(online));
    }

    private NumaNode theOnly(CpuSet online) {
        NumaNodeReader facts = new NumaNodeReader(reader, sysfsRoot);
        Path meminfo = procRoot.resolve("meminfo");
        OptionalLong memoryBytes = facts.memoryBytes(meminfo);
        if (memoryBytes.isEmpty()) {
            reader.warning(
                    ("the machine's memory is not known: path=%s tells none; it is left out; point --proc-root at "
                                    + "the host's procfs")
                            .formatted(meminfo));
        }
        return new NumaNode(
                0,
                online,
                memoryBytes,
                facts.hugepages(sysfsRoot.resolve("kernel").resolve("mm").resolve("hugepages")),
                new TreeMap<>());
    }

    private List<NumaNode> onePerPackage(SortedMap<Integer, CpuSet> packages) {
        reader.warning(("memory of NUMA nodes not known: path=%s has no NUMA nodes, so each physical package counts as "
                        + "one: numaNodes=%s; boot a kernel with NUMA support to have zones with memory")
                .formatted(sysfsRoot, SysfsText.joined(List.copyOf(packages.keySet()))));
        return packages.entrySet().stream()
                .map(entry -> new NumaNode(
                        entry.getKey(), entry.getValue(), OptionalLong.empty(), new TreeMap<>(), new TreeMap<>()))
                .toList();
    }
}
