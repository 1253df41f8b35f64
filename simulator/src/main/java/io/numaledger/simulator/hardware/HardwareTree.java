package io.numaledger.simulator.hardware;

import io.numaledger.topology.MachineTopology;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.SortedMap;

/**
 * Writes simulated hardware as the files that the kernel would show: {@code sys/devices/system/node},
 * {@code sys/devices/system/cpu}, {@code sys/bus/node/devices}, {@code sys/bus/pci/devices}, {@code sys/kernel/mm/hugepages},
 * {@code proc/cpuinfo} and {@code proc/meminfo} below a root of one's choice.
 */
public final class HardwareTree {

    private HardwareTree() {}

    /** Page size in bytes → pages of a NUMA node, as its files show them: some sizes without pages, too. */
    public static SortedMap<Long, Long> hugepages(NumaNodeSpec numaNode) {
        return NumaFiles.withUsualSizes(numaNode.hugepages());
    }

    /**
     * Writes the files of one node; those that are there already are replaced.
     *
     * @throws UncheckedIOException when a file cannot be written
     */
    public static void write(NodeSpec spec, Path root) {
        MachineTopology machine = spec.machine();
        try {
            new CpuFiles(spec, machine).write(root);
            new NumaFiles(machine).write(root);
            new PciFiles(spec.draDrivers()).write(root);
        } catch (IOException cause) {
            throw new UncheckedIOException(
                    "cannot write the hardware tree: node=%s root=%s; give a writable directory"
                            .formatted(spec.name(), root),
                    cause);
        }
    }
}
