package io.numaledger.agent.nvml;

import io.numaledger.gpu.PciAddress;

import java.util.Optional;

/**
 * One end of an NVLink.
 *
 * @param number 0 and up, on its GPU
 * @param version such as {@code 4.0}
 * @param remote what the driver reports about the other end; absent for a switch that the machine does not show
 * @param remoteType what the other end is
 */
public record NvLink(
        int number, State state, Optional<String> version, Optional<PciAddress> remote, RemoteType remoteType) {

    /** Whether it works now. A sleeping one wakes by itself. */
    public enum State {
        INACTIVE,
        ACTIVE,
        SLEEP;

        static State of(long code) {
            if (code == 1) {
                return ACTIVE;
            }
            return code == 2 ? SLEEP : INACTIVE;
        }
    }

    /** {@code nvmlIntNvLinkDeviceType_t}. */
    public enum RemoteType {
        GPU,
        /** A POWER processor. */
        CPU,
        SWITCH,
        UNKNOWN;

        static RemoteType of(int code) {
            return switch (code) {
                case 0 -> GPU;
                case 1 -> CPU;
                case 2 -> SWITCH;
                default -> UNKNOWN;
            };
        }
    }

    /** Whether the wiring is there and in order. */
    public boolean isUp() {
        return state != State.INACTIVE;
    }

    static Optional<String> versionText(int code) {
        return switch (code) {
            case 1 -> Optional.of("1.0");
            case 2 -> Optional.of("2.0");
            case 3 -> Optional.of("2.2");
            case 4 -> Optional.of("3.0");
            case 5 -> Optional.of("3.1");
            case 6 -> Optional.of("4.0");
            case 7 -> Optional.of("5.0");
            case 8 -> Optional.of("6.0");
            default -> Optional.empty();
        };
    }
}
