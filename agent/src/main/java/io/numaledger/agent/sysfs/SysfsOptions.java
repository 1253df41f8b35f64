package io.numaledger.agent.sysfs;

import picocli.CommandLine.Option;

import java.nio.file.Path;

/** The flags for the paths of sysfs and procfs. */
public final class SysfsOptions {

    @Option(
            names = "--sysfs-root",
            paramLabel = "DIR",
            defaultValue = "/sys",
            description = "where the host's sysfs is mounted (default: ${DEFAULT-VALUE})")
    private Path sysfsRoot = Path.of("/sys");

    @Option(
            names = "--proc-root",
            paramLabel = "DIR",
            description = "where the host's procfs is mounted (default: 'proc' beside the sysfs root if it is there, "
                    + "else /proc); read only where sysfs shows no NUMA nodes")
    private Path procRoot;

    public Path sysfsRoot() {
        return sysfsRoot;
    }

    public SysfsProbe probe() {
        return procRoot == null ? new SysfsProbe(sysfsRoot) : new SysfsProbe(sysfsRoot, procRoot);
    }
}
