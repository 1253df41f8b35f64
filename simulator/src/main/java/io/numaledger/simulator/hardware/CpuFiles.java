package io.numaledger.simulator.hardware;

import io.numaledger.topology.CpuSet;
import io.numaledger.topology.LogicalCpu;
import io.numaledger.topology.MachineTopology;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import static io.numaledger.simulator.hardware.SysfsFile.line;
import static io.numaledger.simulator.hardware.SysfsFile.link;
import static io.numaledger.simulator.hardware.SysfsFile.mask;
import static io.numaledger.simulator.hardware.SysfsFile.text;
import static java.util.Objects.requireNonNull;

/** {@code /sys/devices/system/cpu} and {@code /proc/cpuinfo} of one node. */
final class CpuFiles {

    private final NodeSpec spec;
    private final MachineTopology machine;
    private final Map<Integer, CpuSet> socketCpus;
    private final Map<Integer, CpuSet> coreCpus;
    private final Map<Integer, CpuSet> cacheCpus;

    /** First logical CPU of a core → the core's number within its socket, as the kernel's core_id. */
    private final SortedMap<Integer, Integer> coreNumbers = new TreeMap<>();

    CpuFiles(NodeSpec spec, MachineTopology machine) {
        this.spec = spec;
        this.machine = machine;
        socketCpus = cpusBy(cpu -> cpu.socket().orElseThrow());
        coreCpus = cpusBy(LogicalCpu::core);
        cacheCpus = cpusBy(cpu -> cpu.l3Cache().orElseThrow());
        Map<Integer, Integer> next = new TreeMap<>();
        for (LogicalCpu cpu : machine.cpus()) {
            if (cpu.core() == cpu.id()) {
                coreNumbers.put(cpu.core(), next.merge(cpu.socket().orElseThrow(), 1, Integer::sum) - 1);
            }
        }
    }

    private Map<Integer, CpuSet> cpusBy(Function<LogicalCpu, Integer> key) {
        return machine.cpus().stream()
                .collect(Collectors.toMap(key, cpu -> CpuSet.of(cpu.id()), CpuSet::union, TreeMap::new));
    }

    void write(Path root) throws IOException {
        Path cpuDir = root.resolve("sys/devices/system/cpu");
        for (String file : List.of("online", "possible", "present")) {
            line(cpuDir.resolve(file), machine.onlineCpus());
        }
        line(cpuDir.resolve("offline"), "");
        for (LogicalCpu cpu : machine.cpus()) {
            writeCpu(cpu, cpuDir.resolve("cpu" + cpu.id()));
        }
        text(root.resolve("proc/cpuinfo"), cpuinfo());
    }

    private void writeCpu(LogicalCpu cpu, Path dir) throws IOException {
        int socket = cpu.socket().orElseThrow();
        line(dir.resolve("online"), 1);
        Path topology = dir.resolve("topology");
        line(topology.resolve("core_id"), requireNonNull(coreNumbers.get(cpu.core())));
        line(topology.resolve("physical_package_id"), socket);
        line(topology.resolve("die_id"), 0);
        writeSet(topology, "thread_siblings", requireNonNull(coreCpus.get(cpu.core())));
        writeSet(topology, "core_cpus", requireNonNull(coreCpus.get(cpu.core())));
        writeSet(topology, "core_siblings", requireNonNull(socketCpus.get(socket)));
        writeSet(topology, "package_cpus", requireNonNull(socketCpus.get(socket)));
        Path cache = dir.resolve("cache");
        writeCache(cache.resolve("index0"), 1, "Data", "32K", cpu.core(), requireNonNull(coreCpus.get(cpu.core())));
        writeCache(
                cache.resolve("index1"), 1, "Instruction", "32K", cpu.core(), requireNonNull(coreCpus.get(cpu.core())));
        writeCache(
                cache.resolve("index2"), 2, "Unified", "1024K", cpu.core(), requireNonNull(coreCpus.get(cpu.core())));
        int l3 = cpu.l3Cache().orElseThrow();
        writeCache(cache.resolve("index3"), 3, "Unified", "32768K", l3, requireNonNull(cacheCpus.get(l3)));
        Optional<Integer> numaNode =
                machine.numaNodeOfCpu(cpu.id()).stream().boxed().findFirst();
        if (numaNode.isPresent()) {
            link(dir.resolve("node" + numaNode.get()), "../../node/node" + numaNode.get());
        }
    }

    private static void writeCache(Path dir, int level, String type, String size, int id, CpuSet shared)
            throws IOException {
        line(dir.resolve("level"), level);
        line(dir.resolve("type"), type);
        line(dir.resolve("size"), size);
        line(dir.resolve("id"), id);
        line(dir.resolve("shared_cpu_list"), shared);
        line(dir.resolve("shared_cpu_map"), mask(shared));
    }

    /** A set stands twice in sysfs: as a mask, and as a list. */
    private static void writeSet(Path dir, String name, CpuSet cpus) throws IOException {
        line(dir.resolve(name + "_list"), cpus);
        line(dir.resolve(name), mask(cpus));
    }

    private String cpuinfo() {
        StringBuilder text = new StringBuilder();
        for (LogicalCpu cpu : machine.cpus()) {
            int socket = cpu.socket().orElseThrow();
            text.append("""
                    processor\t: %d
                    vendor_id\t: GenuineIntel
                    model name\t: Simulated CPU of %s
                    cpu MHz\t\t: 2000.000
                    cache size\t: 32768 KB
                    physical id\t: %d
                    siblings\t: %d
                    core id\t\t: %d
                    cpu cores\t: %d

                    """.formatted(
                            cpu.id(),
                            spec.name(),
                            socket,
                            requireNonNull(socketCpus.get(socket)).size(),
                            coreNumbers.get(cpu.core()),
                            coresOf(socket)));
        }
        return text.toString();
    }

    private long coresOf(int socket) {
        return coreNumbers.keySet().stream()
                .filter(core -> requireNonNull(socketCpus.get(socket)).contains(core))
                .count();
    }
}
