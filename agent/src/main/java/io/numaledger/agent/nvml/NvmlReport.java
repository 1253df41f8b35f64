package io.numaledger.agent.nvml;

import java.util.List;
import java.util.Optional;

/**
 * The GPUs as the driver reported them at one instant.
 *
 * @param driverVersion such as {@code 570.148.08}
 * @param gpus by the driver's index, also those that could not be read
 * @param warnings one sentence for each value that should be readable and is not
 */
public record NvmlReport(Optional<String> driverVersion, List<NvmlGpu> gpus, List<String> warnings) {

    public static final NvmlReport NOTHING = new NvmlReport(Optional.empty(), List.of(), List.of());

    public NvmlReport {
        gpus = List.copyOf(gpus);
        warnings = List.copyOf(warnings);
    }
}
