package io.numaledger.agent.nvml;

/** NVML cannot be used: no library, no driver, no permission, a library that crashes, or no answer. */
public final class NvmlException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    public NvmlException(String message, Throwable cause) {
        super(message, cause);
    }

    public NvmlException(String message) {
        super(message);
    }
}
