package io.numaledger.simulator.restore;

import java.nio.charset.StandardCharsets;

/** The checksum of a kubelet's state file (pkg/kubelet/checkpointmanager/checksum/checksum.go). */
final class Checksum {

    private Checksum() {}

    /**
     * FNV-1a with 32 bits.
     *
     * @param struct what is in the file, as {@code spew.ConfigState.Sprintf("%#v")} prints it in Go
     */
    static long of(String struct) {
        int hash = 0x811c9dc5;
        for (byte each : struct.getBytes(StandardCharsets.UTF_8)) {
            hash = (hash ^ (each & 0xff)) * 0x01000193;
        }
        return Integer.toUnsignedLong(hash);
    }
}
