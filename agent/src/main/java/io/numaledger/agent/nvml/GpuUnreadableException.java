package io.numaledger.agent.nvml;

/** One GPU does not respond: it is lost, needs a reset, or is not accessible to this process. Other GPUs may work. */
final class GpuUnreadableException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final NvmlReturn reason;

    GpuUnreadableException(String symbol, NvmlReturn reason) {
        super("%s returned %s".formatted(symbol, reason));
        this.reason = reason;
    }

    NvmlReturn reason() {
        return reason;
    }
}
