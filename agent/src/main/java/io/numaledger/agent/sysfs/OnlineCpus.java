package io.numaledger.agent.sysfs;

import io.numaledger.topology.CpuSet;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Which CPUs are online: {@code cpu/online}, else each {@code cpuN/online}, where a missing file means online. */
final class OnlineCpus {

    private final SysfsReader reader;
    private final Path cpuDirectory;

    OnlineCpus(SysfsReader reader, Path cpuDirectory) {
        this.reader = reader;
        this.cpuDirectory = cpuDirectory;
    }

    /** The online CPUs; absent when there is neither a list nor a CPU directory, as in the thin trees of test systems. */
    Optional<CpuSet> read() {
        return reader.parsed(cpuDirectory.resolve("online"), OnlineCpus::parseOnline)
                .or(this::fromCpuDirectories);
    }

    /** A running machine has at least one CPU, so an empty list means a truncated file. */
    static CpuSet parseOnline(String text) {
        CpuSet online = SysfsText.cpus(CpuSet.parse(text));
        if (online.isEmpty()) {
            throw new IllegalArgumentException("it names no CPU");
        }
        return online;
    }

    private Optional<CpuSet> fromCpuDirectories() {
        List<Integer> present = NumberedNames.ids("cpu", reader.names(cpuDirectory));
        if (present.isEmpty()) {
            return Optional.empty();
        }
        CpuSet online = CpuSet.EMPTY;
        CpuSet unclear = CpuSet.EMPTY;
        for (int cpu : present) {
            String flag = reader.text(cpuDirectory.resolve("cpu" + cpu).resolve("online"))
                    .orElse("1");
            online = flag.equals("0") ? online : online.union(CpuSet.of(cpu));
            unclear = flag.matches("[01]") ? unclear : unclear.union(CpuSet.of(cpu));
        }
        if (!unclear.isEmpty()) {
            reader.warning(
                    ("it is unknown whether CPUs are online: cpus=%s path=%s holds neither 0 nor 1; they are taken as "
                                    + "online; compare with `lscpu -e`")
                            .formatted(unclear, cpuDirectory.resolve("cpuN").resolve("online")));
        }
        return Optional.of(online);
    }
}
