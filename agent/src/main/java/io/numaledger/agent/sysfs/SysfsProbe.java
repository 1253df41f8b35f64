package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Reads the NUMA topology of this machine from sysfs. Each call reads everything: hot-plug and changed hugepages send no event.
 * It reads a few files for each NUMA node and for each core, and never fails: what cannot be read is left out, and a
 * warning says so. Safe to use from several threads.
 */
public final class SysfsProbe {

    private final Path sysfsRoot;
    private final Path procRoot;

    /**
     * @param sysfsRoot where sysfs is mounted, such as {@code /sys}
     * @param procRoot where procfs is mounted; read only where sysfs has no NUMA nodes
     */
    public SysfsProbe(Path sysfsRoot, Path procRoot) {
        this.sysfsRoot = sysfsRoot;
        this.procRoot = procRoot;
    }

    /** Takes procfs from {@code proc} beside the sysfs root if it is there, else from {@code /proc}. */
    public SysfsProbe(Path sysfsRoot) {
        this(sysfsRoot, procRootBeside(sysfsRoot));
    }

    private static Path procRootBeside(Path sysfsRoot) {
        Path beside = sysfsRoot.toAbsolutePath().normalize().resolveSibling("proc");
        return Files.isDirectory(beside) ? beside : Path.of("/proc");
    }

    public ProbeResult probe() {
        SysfsReader reader = new SysfsReader();
        Path system = sysfsRoot.resolve("devices").resolve("system");
        Path cpuDirectory = system.resolve("cpu");
        NumaNodesReader nodesReader = new NumaNodesReader(reader, system.resolve("node"), cpuDirectory);

        Optional<CpuSet> reported = new OnlineCpus(reader, cpuDirectory).read();
        SortedMap<Integer, CpuSet> claims = nodesReader.claimedCpus(nodesReader.ids(), reported);
        CpuSet online = reported.orElseGet(() -> claims.values().stream().reduce(CpuSet.EMPTY, CpuSet::union));
        warnOfOnline(reader, reported, online, cpuDirectory);
        List<LogicalCpu> cpus = new CpuTopologyReader(reader, cpuDirectory).read(online);
        List<NumaNode> nodes = claims.isEmpty()
                ? new ImplicitNodes(reader, sysfsRoot, procRoot).read(online, cpus)
                : nodesReader.read(claims, online);
        return new ProbeResult(new MachineTopology(online, nodes, cpus), reader.warnings());
    }

    private static void warnOfOnline(SysfsReader reader, Optional<CpuSet> reported, CpuSet online, Path cpuDirectory) {
        if (online.isEmpty()) {
            reader.warning(
                    ("found no online CPU: path=%s holds neither a list nor CPU directories, and no NUMA node names "
                                    + "one; point --sysfs-root at the mount of the host's sysfs")
                            .formatted(cpuDirectory));
        } else if (reported.isEmpty()) {
            reader.warning(
                    ("which CPUs are online is not known: path=%s holds neither a list nor CPU directories; all CPUs "
                                    + "of the NUMA nodes are taken as online: cpus=%s; mount the host's whole sysfs")
                            .formatted(cpuDirectory, online));
        }
    }
}
