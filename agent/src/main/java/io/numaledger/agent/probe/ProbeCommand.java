package io.numaledger.agent.probe;

import io.numaledger.agent.gpu.GpuOptions;
import io.numaledger.agent.gpu.GpuProbe;
import io.numaledger.agent.sysfs.ProbeResult;
import io.numaledger.agent.sysfs.SysfsOptions;
import io.numaledger.topology.MachineTopology;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

import java.io.PrintWriter;
import java.util.concurrent.Callable;

/** {@code agent probe}: prints this machine's NUMA nodes or GPUs. */
@Command(
        name = "probe",
        description = "Prints this machine's NUMA topology, or its GPUs. Warnings go to stderr.",
        exitCodeListHeading = "Exit codes:%n",
        exitCodeList = {"0:done", "1:no NUMA node could be read, or no such set of GPUs", "2:wrong flags"})
public final class ProbeCommand implements Callable<Integer> {

    /** How the result is printed. */
    enum Format {
        TABLE,
        JSON;

        String print(MachineTopology machine) {
            return switch (this) {
                case TABLE -> TopologyTable.print(machine);
                case JSON -> TopologyJson.print(machine);
            };
        }
    }

    static final class FormatByName implements ITypeConverter<Format> {
        @Override
        public Format convert(String name) {
            return switch (name) {
                case "table" -> Format.TABLE;
                case "json" -> Format.JSON;
                default -> throw new TypeConversionException("expected table or json but was '%s'".formatted(name));
            };
        }
    }

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "show this help and exit")
    @SuppressWarnings("UnusedVariable") // picocli sets it and acts on it
    private boolean help;

    @Mixin
    private SysfsOptions sysfs;

    @Mixin
    private GpuOptions gpus;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "table",
            converter = FormatByName.class,
            description = "table or json (default: ${DEFAULT-VALUE})")
    private Format format = Format.TABLE;

    @Override
    public Integer call() {
        return gpus.asked()
                ? new GpuProbe(
                                gpus,
                                sysfs,
                                format == Format.JSON,
                                spec.commandLine().getOut(),
                                spec.commandLine().getErr())
                        .call()
                : numaNodes();
    }

    private int numaNodes() {
        ProbeResult result = sysfs.probe().probe();
        PrintWriter warnings = spec.commandLine().getErr();
        result.warnings().forEach(warnings::println);
        warnings.flush();
        PrintWriter out = spec.commandLine().getOut();
        out.print(format.print(result.topology()));
        out.flush();
        return result.topology().numaNodes().isEmpty() ? 1 : 0;
    }
}
