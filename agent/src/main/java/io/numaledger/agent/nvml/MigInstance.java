package io.numaledger.agent.nvml;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;

/**
 * One slice of a GPU in MIG mode.
 *
 * @param uuid {@code MIG-…}, the device id that the device plugin reports
 * @param gpuInstance id of the memory slice
 * @param computeInstance id of the compute slice in it
 * @param memoryBytes of the slice
 */
public record MigInstance(
        Optional<String> uuid, OptionalInt gpuInstance, OptionalInt computeInstance, OptionalLong memoryBytes) {}
