package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.NvmlException;
import io.numaledger.agent.nvml.NvmlProbe;
import io.numaledger.agent.nvml.NvmlReport;
import io.numaledger.agent.pci.PciBus;
import io.numaledger.agent.pci.PciFunction;
import io.numaledger.agent.pci.RdmaNics;
import io.numaledger.agent.sysfs.SysfsReader;
import io.numaledger.topology.CpuSet;
import io.numaledger.topology.MachineTopology;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Looks at this machine's GPUs and NICs: sysfs tells what there is and where, the driver what links the GPUs. On a
 * machine without an NVIDIA device the driver's library is not touched.
 */
public final class GpuSurvey {

    /** What is known of a machine that nobody looked at. */
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
     * What one look yielded.
     *
     * @param complete whether the links of every GPU are known and none is still being set up
     * @param remarks one sentence for each thing that could not be read and should have been
     */
    public record Result(GpuSystem system, boolean complete, List<String> remarks) {

        public Result {
            remarks = List.copyOf(remarks);
        }
    }

    /** Whether this machine has anything of NVIDIA's; without, it need not be known for a look. */
    public boolean hasNvidia() {
        return hasNvidia(new PciBus(new SysfsReader(), sysfsRoot, NO_MACHINE).nvidiaFunctions());
    }

    /** Never fails: without the driver, GPUs are told as sysfs shows them. */
    public Result look(String machineName, MachineTopology machine) {
        SysfsReader reader = new SysfsReader();
        PciBus bus = new PciBus(reader, sysfsRoot, machine);
        List<PciFunction> nvidia = bus.nvidiaFunctions();
        List<String> remarks = new ArrayList<>();
        NvmlReport report = hasNvidia(nvidia) ? report(remarks) : NvmlReport.NOTHING;
        GpuJoin join = new GpuJoin(nvidia, report.gpus(), machine, remarks);
        GpuSystem system = join.system(machineName, bus, new RdmaNics(reader, sysfsRoot, bus).read());
        remarks.addAll(reader.remarks());
        return new Result(system, join.complete(), remarks);
    }

    private boolean hasNvidia(List<PciFunction> nvidia) {
        return !nvidia.isEmpty() || Files.exists(devRoot.resolve("nvidiactl"));
    }

    private NvmlReport report(List<String> remarks) {
        try {
            NvmlReport report = nvml.look();
            remarks.addAll(report.remarks());
            return report;
        } catch (NvmlException e) {
            remarks.add(e.getMessage());
            return NvmlReport.NOTHING;
        }
    }
}
