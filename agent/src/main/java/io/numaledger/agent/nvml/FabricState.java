package io.numaledger.agent.nvml;

import java.util.Optional;

/**
 * Whether a GPU is attached to a fabric of several machines, such as an NVL72 rack.
 *
 * @param progress how far the attachment has come
 * @param clique {@code <cluster uuid>.<clique id>}; present once attached
 */
public record FabricState(Progress progress, Optional<String> clique) {

    /** {@code nvmlGpuFabricState_t}. */
    public enum Progress {
        NOT_SUPPORTED,
        NOT_STARTED,
        IN_PROGRESS,
        COMPLETED;

        static Progress of(int code) {
            return switch (code) {
                case 1 -> NOT_STARTED;
                case 2 -> IN_PROGRESS;
                case 3 -> COMPLETED;
                default -> NOT_SUPPORTED;
            };
        }
    }

    /** Whether the links may still change by themselves: minutes after boot. */
    public boolean isSettling() {
        return progress == Progress.NOT_STARTED || progress == Progress.IN_PROGRESS;
    }
}
