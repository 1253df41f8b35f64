package io.numaledger.agent.nvml;

import java.util.List;
import java.util.Optional;

/**
 * One look at the GPUs through the driver.
 *
 * @param driverVersion such as {@code 570.148.08}
 * @param gpus by the driver's index, also those that could not be read
 * @param remarks one sentence for each thing that could not be read and should have been
 */
public record NvmlReport(Optional<String> driverVersion, List<NvmlGpu> gpus, List<String> remarks) {

    public static final NvmlReport NOTHING = new NvmlReport(Optional.empty(), List.of(), List.of());

    public NvmlReport {
        gpus = List.copyOf(gpus);
        remarks = List.copyOf(remarks);
    }
}
