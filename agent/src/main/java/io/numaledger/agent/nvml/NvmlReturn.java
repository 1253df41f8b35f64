package io.numaledger.agent.nvml;

import java.util.Arrays;

/** What an NVML call returned ({@code nvmlReturn_t} of nvml.h, API 13). */
public enum NvmlReturn {
    SUCCESS(0, "success"),
    UNINITIALIZED(1, "not initialised"),
    INVALID_ARGUMENT(2, "invalid argument"),
    NOT_SUPPORTED(3, "not supported"),
    NO_PERMISSION(4, "no permission"),
    ALREADY_INITIALIZED(5, "already initialised"),
    NOT_FOUND(6, "not found"),
    INSUFFICIENT_SIZE(7, "buffer too small"),
    INSUFFICIENT_POWER(8, "a power cable is missing"),
    DRIVER_NOT_LOADED(9, "driver not loaded"),
    TIMEOUT(10, "timeout"),
    IRQ_ISSUE(11, "interrupt problem"),
    LIBRARY_NOT_FOUND(12, "library not found"),
    FUNCTION_NOT_FOUND(13, "function not found"),
    CORRUPTED_INFOROM(14, "corrupted infoROM"),
    GPU_IS_LOST(15, "GPU is lost"),
    RESET_REQUIRED(16, "GPU needs a reset"),
    OPERATING_SYSTEM(17, "refused by the operating system"),
    VERSION_MISMATCH(18, "library and kernel module are of different versions"),
    IN_USE(19, "in use"),
    MEMORY(20, "out of memory"),
    NO_DATA(21, "no data"),
    VGPU_ECC_NOT_SUPPORTED(22, "ECC on a virtual GPU"),
    INSUFFICIENT_RESOURCES(23, "insufficient resources"),
    FREQ_NOT_SUPPORTED(24, "frequency not supported"),
    ARGUMENT_VERSION_MISMATCH(25, "argument of another version"),
    DEPRECATED(26, "deprecated"),
    NOT_READY(27, "not ready"),
    GPU_NOT_FOUND(28, "GPU not found"),
    INVALID_STATE(29, "invalid state"),
    /** Code 999, and every code that a newer driver may have. */
    UNKNOWN(999, "unknown error");

    private final int code;
    private final String meaning;

    NvmlReturn(int code, String meaning) {
        this.code = code;
        this.meaning = meaning;
    }

    static NvmlReturn of(int code) {
        return Arrays.stream(values())
                .filter(value -> value.code == code)
                .findFirst()
                .orElse(UNKNOWN);
    }

    /** Whether the GPU or the driver does not support the value, which is not an error. */
    boolean isAbsence() {
        return switch (this) {
            case INVALID_ARGUMENT,
                    NOT_SUPPORTED,
                    NOT_FOUND,
                    FUNCTION_NOT_FOUND,
                    NO_DATA,
                    ARGUMENT_VERSION_MISMATCH,
                    DEPRECATED -> true;
            case SUCCESS,
                    UNINITIALIZED,
                    NO_PERMISSION,
                    ALREADY_INITIALIZED,
                    INSUFFICIENT_SIZE,
                    INSUFFICIENT_POWER,
                    DRIVER_NOT_LOADED,
                    TIMEOUT,
                    IRQ_ISSUE,
                    LIBRARY_NOT_FOUND,
                    CORRUPTED_INFOROM,
                    GPU_IS_LOST,
                    RESET_REQUIRED,
                    OPERATING_SYSTEM,
                    VERSION_MISMATCH,
                    IN_USE,
                    MEMORY,
                    VGPU_ECC_NOT_SUPPORTED,
                    INSUFFICIENT_RESOURCES,
                    FREQ_NOT_SUPPORTED,
                    NOT_READY,
                    GPU_NOT_FOUND,
                    INVALID_STATE,
                    UNKNOWN -> false;
        };
    }

    /** What an operator does about it, for the last part of a sentence. */
    String remedy() {
        return switch (this) {
            case NO_PERMISSION -> "give the container the devices /dev/nvidiactl and /dev/nvidia<minor>";
            case DRIVER_NOT_LOADED -> "load the nvidia kernel module";
            case LIBRARY_NOT_FOUND -> "name the driver's library with --nvml-library";
            case GPU_IS_LOST -> "reset the GPU or restart the machine; dmesg shows the XID error";
            case RESET_REQUIRED -> "drain the GPU, then run nvidia-smi --gpu-reset";
            case VERSION_MISMATCH -> "restart this container: a driver update needs the new library";
            case INSUFFICIENT_POWER -> "check the GPU's power cables";
            case SUCCESS,
                    UNINITIALIZED,
                    INVALID_ARGUMENT,
                    NOT_SUPPORTED,
                    ALREADY_INITIALIZED,
                    NOT_FOUND,
                    INSUFFICIENT_SIZE,
                    TIMEOUT,
                    IRQ_ISSUE,
                    FUNCTION_NOT_FOUND,
                    CORRUPTED_INFOROM,
                    OPERATING_SYSTEM,
                    IN_USE,
                    MEMORY,
                    NO_DATA,
                    VGPU_ECC_NOT_SUPPORTED,
                    INSUFFICIENT_RESOURCES,
                    FREQ_NOT_SUPPORTED,
                    ARGUMENT_VERSION_MISMATCH,
                    DEPRECATED,
                    NOT_READY,
                    GPU_NOT_FOUND,
                    INVALID_STATE,
                    UNKNOWN -> "compare with nvidia-smi -q";
        };
    }

    /** Such as {@code 15 (GPU is lost)}. */
    @Override
    public String toString() {
        return "%d (%s)".formatted(code, meaning);
    }
}
