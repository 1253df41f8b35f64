package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.NumaNode;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

import static java.util.Objects.requireNonNull;

/**
 * All NUMA nodes below {@code devices/system/node}: one for each directory {@code nodeN}, as the kubelet counts them,
 * those without CPUs or without memory too. {@code has_cpu} and {@code has_memory} can be stale and are not read.
 */
final class NumaNodesReader {

    private final SysfsReader reader;
    private final Path nodeDirectory;
    private final Path cpuDirectory;
    private final NumaNodeReader node;

    NumaNodesReader(SysfsReader reader, Path nodeDirectory, Path cpuDirectory) {
        this.reader = reader;
        this.nodeDirectory = nodeDirectory;
        this.cpuDirectory = cpuDirectory;
        this.node = new NumaNodeReader(reader, nodeDirectory);
    }

    /** The ids of the node directories, ascending; invalid names are left out, with one warning each. */
    List<Integer> ids() {
        List<String> names = reader.names(nodeDirectory);
        for (String name : NumberedNames.malformed("node", names)) {
            reader.warning(("left out a NUMA node: path=%s is not a name that a kernel gives (a number of 0 or more, "
                            + "without leading zeros, each once); correct the tree that the sysfs root points at")
                    .formatted(nodeDirectory.resolve(name)));
        }
        return NumberedNames.ids("node", names);
    }

    /** The CPUs that each node claims, offline ones included; a node without readable CPUs has none, with a warning. */
    SortedMap<Integer, CpuSet> claimedCpus(List<Integer> ids, Optional<CpuSet> online) {
        Optional<Integer> lastCpu = online.map(cpus -> cpus.ids().max().orElse(0));
        SortedMap<Integer, CpuSet> claims = new TreeMap<>();
        List<Integer> silent = new ArrayList<>();
        for (int id : ids) {
            Optional<CpuSet> cpus = node.cpus(id, lastCpu);
            claims.put(id, cpus.orElse(CpuSet.EMPTY));
            if (cpus.isEmpty()) {
                silent.add(id);
            }
        }
        warnOfUnknown(silent, "CPUs", "cpulist or cpumap", "they are shown without CPUs");
        return claims;
    }

    List<NumaNode> read(SortedMap<Integer, CpuSet> claims, CpuSet online) {
        SortedMap<Integer, CpuSet> onlineClaims = new TreeMap<>();
        claims.forEach((id, cpus) -> onlineClaims.put(id, cpus.intersect(online)));
        SortedMap<Integer, CpuSet> cpus = settled(onlineClaims);
        List<Integer> ids = List.copyOf(cpus.keySet());
        List<Integer> columns = distanceColumns(ids);
        List<NumaNode> nodes = ids.stream()
                .map(id -> new NumaNode(
                        id,
                        requireNonNull(cpus.get(id)),
                        node.memoryBytes(id),
                        node.hugepages(id),
                        distances(id, columns, ids)))
                .toList();
        warnOfUnknown(without(ids, "meminfo"), "memory", "meminfo", "it is left out");
        warnOfUnknown(without(ids, "distance"), "distances", "distance", "they are left out");
        return nodes;
    }

    private SortedMap<Integer, CpuSet> settled(SortedMap<Integer, CpuSet> onlineClaims) {
        CpuClaims claims = new CpuClaims(onlineClaims);
        CpuSet contested = claims.contested();
        if (!contested.isEmpty()) {
            reader.warning(
                    ("several NUMA nodes claim the same CPUs: cpus=%s numaNodes=%s; each is counted once, at the "
                                    + "node that cpuN/nodeM links to, else at the lowest; ask the vendor for a firmware whose "
                                    + "tables are right")
                            .formatted(contested, SysfsText.joined(claims.claimants(contested))));
        }
        return claims.settled(
                (cpu, id) -> Files.exists(cpuDirectory.resolve("cpu" + cpu).resolve("node" + id)));
    }

    /** The kernel writes a distance for each online node; without the list of them, for each directory. */
    private List<Integer> distanceColumns(List<Integer> ids) {
        Path file = nodeDirectory.resolve("online");
        List<Integer> online = reader.parsed(file, CpuSet::parse)
                .map(nodes -> nodes.ids().boxed().toList())
                .orElse(ids);
        List<Integer> missing = online.stream().filter(id -> !ids.contains(id)).toList();
        if (!missing.isEmpty()) {
            reader.warning(("left out NUMA nodes that are online and have no directory: path=%s numaNodes=%s; look "
                            + "whether the sysfs root shows the whole of the host's /sys")
                    .formatted(file, SysfsText.joined(missing)));
        }
        return online;
    }

    private SortedMap<Integer, Integer> distances(int id, List<Integer> columns, List<Integer> ids) {
        SortedMap<Integer, Integer> distances = node.distances(id, columns);
        distances.keySet().retainAll(ids);
        return distances;
    }

    private List<Integer> without(List<Integer> ids, String file) {
        return ids.stream().filter(id -> !node.has(id, file)).toList();
    }

    private void warnOfUnknown(List<Integer> ids, String what, String files, String consequence) {
        if (!ids.isEmpty()) {
            reader.warning(
                    "%s of NUMA nodes not known: numaNodes=%s have no %s below path=%s; %s; mount the host's whole sysfs"
                            .formatted(what, SysfsText.joined(ids), files, nodeDirectory, consequence));
        }
    }
}
