package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.NvmlException;
import io.numaledger.agent.nvml.NvmlProbe;
import io.numaledger.agent.nvml.NvmlReport;
import io.numaledger.agent.pci.PciBus;
import io.numaledger.agent.pci.PciFunction;
import io.numaledger.agent.pci.RdmaNics;
import io.numaledger.agent.sysfs.SysfsReader;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PciNumaNodes;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;

/**
 * Reads this machine's GPUs and NICs. sysfs reports the devices and their location, the driver the links between GPUs. On a
 * machine without an NVIDIA device the driver's library is not touched.
 */
public final class GpuSurvey {

    /** The survey of a machine that was not read. */
    public static final MachineTopology NO_MACHINE = new MachineTopology(CpuSet.EMPTY, List.of(), List.of());

    private final Path sysfsRoot;
    private final Path devRoot;
    private final NvmlProbe nvml;

    /**
     * Reads nothing yet.
     *
     * @param devRoot where device files are, such as {@code /dev}
     */
    public GpuSurvey(Path sysfsRoot, Path devRoot, NvmlProbe nvml) {
        this.sysfsRoot = sysfsRoot;
        this.devRoot = devRoot;
        this.nvml = nvml;
    }

    /**
     * The result of one survey.
     *
     * @param pci of all PCI functions, GPUs and others
     * @param complete whether the links of every GPU are known and none is still being set up
     * @param warnings one sentence for each value that should be readable and is not
     * @param failure why NVML could not be used; absent: it could, or there was no need to
     */
    public record Result(
            GpuSystem system, PciNumaNodes pci, boolean complete, List<String> warnings, Optional<String> failure) {

        public Result {
            warnings = List.copyOf(warnings);
        }
    }

    /** Whether this machine has NVIDIA devices. Without any, there is nothing to read. */
    public boolean hasNvidia() {
        return hasNvidia(new PciBus(new SysfsReader(), sysfsRoot, NO_MACHINE).nvidiaFunctions());
    }

    /** Never fails: without the driver, GPUs are reported as sysfs shows them. */
    public Result observe(String machineName, MachineTopology machine) {
        SysfsReader reader = new SysfsReader();
        PciBus bus = new PciBus(reader, sysfsRoot, machine);
        List<PciFunction> nvidia = bus.nvidiaFunctions();
        NvmlReport report = NvmlReport.NOTHING;
        Optional<String> failure = Optional.empty();
        try {
            report = hasNvidia(nvidia) ? nvml.observe() : report;
        } catch (NvmlException e) {
            failure = Optional.of(String.valueOf(e.getMessage()));
        }
        List<String> warnings = new ArrayList<>(report.warnings());
        GpuJoin join = new GpuJoin(nvidia, report.gpus(), machine, warnings);
        GpuSystem system = join.system(machineName, bus, new RdmaNics(reader, sysfsRoot, bus).read());
        PciNumaNodes pci = numaNodes(bus, system.topology());
        warnings.addAll(reader.warnings());
        return new Result(system, pci, join.complete(), warnings, failure);
    }

    /** The kernel's answers; the driver's for GPUs where it has none. */
    private static PciNumaNodes numaNodes(PciBus bus, GpuTopology gpus) {
        SortedMap<PciAddress, OptionalInt> numaNodes = bus.numaNodes();
        gpus.gpus()
                .forEach(gpu -> gpu.pciAddress()
                        .filter(address -> gpu.numaNode().isPresent())
                        .ifPresent(address -> numaNodes.put(address, gpu.numaNode())));
        return PciNumaNodes.of(numaNodes);
    }

    private boolean hasNvidia(List<PciFunction> nvidia) {
        return !nvidia.isEmpty() || Files.exists(devRoot.resolve("nvidiactl"));
    }
}
