package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The location of each online CPU: its core from the sibling list, its socket from the package id, its cache from
 * {@link CacheReader}. Package, die and core ids are labels, not indexes. Reads one set of files for each core, not
 * for each CPU: siblings share core, package and last-level cache.
 */
final class CpuTopologyReader {

    private record Core(OptionalInt socket, CpuSet cpus) {

        int id() {
            return cpus.ids().findFirst().orElseThrow();
        }
    }

    /** A core id is unique within its die and package only. */
    private record CoreLabel(OptionalInt socket, OptionalInt die, int core) {}

    private final SysfsReader reader;
    private final Path cpuDirectory;

    CpuTopologyReader(SysfsReader reader, Path cpuDirectory) {
        this.reader = reader;
        this.cpuDirectory = cpuDirectory;
    }

    /** The CPUs by ascending id; a CPU without a core is left out, all of them named in one warning. */
    List<LogicalCpu> read(CpuSet online) {
        List<Core> cores = coresBySiblings(online);
        cores.addAll(coresByLabels(online.minus(cpus(cores))));
        warnOfUnknown(online.minus(cpus(cores)));
        CpuSet coreIds = CpuSet.of(cores.stream().map(Core::id).toList());
        Map<Integer, Integer> caches = new CacheReader(reader, cpuDirectory).read(coreIds, online);
        return cores.stream()
                .flatMap(core -> core.cpus().ids().mapToObj(cpu -> logicalCpu(cpu, core, caches)))
                .sorted(Comparator.comparingInt(LogicalCpu::id))
                .toList();
    }

    private static CpuSet cpus(List<Core> cores) {
        return cores.stream().map(Core::cpus).reduce(CpuSet.EMPTY, CpuSet::union);
    }

    private static LogicalCpu logicalCpu(int cpu, Core core, Map<Integer, Integer> caches) {
        OptionalInt cache = caches.containsKey(cpu) ? OptionalInt.of(caches.get(cpu)) : OptionalInt.empty();
        return new LogicalCpu(cpu, core.socket(), core.id(), cache);
    }

    private List<Core> coresBySiblings(CpuSet online) {
        List<Core> cores = new ArrayList<>();
        CpuSet rest = online;
        for (int cpu : online.toArray()) {
            if (rest.contains(cpu)) {
                CpuSet unassigned = rest;
                Optional<CpuSet> members = siblings(cpu).map(siblings -> sameCore(cpu, siblings.intersect(unassigned)));
                members.ifPresent(core -> cores.add(new Core(socket(cpu), core)));
                rest = rest.minus(members.orElse(CpuSet.EMPTY));
            }
        }
        return cores;
    }

    /** The siblings of the CPU's own core: AMD's Bulldozer calls two cores of one module siblings. */
    private CpuSet sameCore(int cpu, CpuSet siblings) {
        CpuSet others = siblings.minus(CpuSet.of(cpu));
        OptionalInt core = others.isEmpty() ? OptionalInt.empty() : id(cpu, "core_id");
        return CpuSet.of(others.ids().filter(other -> !differ(core, other)).toArray())
                .union(CpuSet.of(cpu));
    }

    private boolean differ(OptionalInt core, int other) {
        OptionalInt otherCore = core.isEmpty() ? OptionalInt.empty() : id(other, "core_id");
        return otherCore.isPresent() && !otherCore.equals(core);
    }

    private Optional<CpuSet> siblings(int cpu) {
        Path topology = topology(cpu);
        return reader.parsed(topology.resolve("thread_siblings_list"), CpuSet::parse)
                .or(() -> reader.parsed(topology.resolve("core_cpus_list"), CpuSet::parse))
                .or(() -> reader.parsed(topology.resolve("thread_siblings"), CpuSet::parseMask));
    }

    private List<Core> coresByLabels(CpuSet cpus) {
        Map<CoreLabel, CpuSet> cores = new LinkedHashMap<>();
        cpus.ids()
                .forEach(cpu -> id(cpu, "core_id")
                        .ifPresent(core -> cores.merge(
                                new CoreLabel(socket(cpu), id(cpu, "die_id"), core), CpuSet.of(cpu), CpuSet::union)));
        return cores.entrySet().stream()
                .map(entry -> new Core(entry.getKey().socket(), entry.getValue()))
                .toList();
    }

    private OptionalInt socket(int cpu) {
        return id(cpu, "physical_package_id");
    }

    /** The number in a file of a CPU's topology; also absent if the architecture has no such value and the file contains -1. */
    private OptionalInt id(int cpu, String file) {
        return reader.parsed(topology(cpu).resolve(file), SysfsText::id).stream()
                .mapToInt(Integer::intValue)
                .filter(id -> id >= 0)
                .findFirst();
    }

    private Path topology(int cpu) {
        return cpuDirectory.resolve("cpu" + cpu).resolve("topology");
    }

    private void warnOfUnknown(CpuSet cpus) {
        if (!cpus.isEmpty()) {
            reader.warning(("cores and sockets are not known: cpus=%s have no usable topology directory below path=%s; "
                            + "what depends on cores is left out; mount the host's whole sysfs")
                    .formatted(cpus, cpuDirectory));
        }
    }
}
