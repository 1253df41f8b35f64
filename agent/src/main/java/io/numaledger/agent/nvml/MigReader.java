package io.numaledger.agent.nvml;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Reads the MIG instances of one device. */
final class MigReader {

    /** More slots than any GPU has, which is 7. */
    static final int MAX_SLOTS = 64;

    private static final int ATTRIBUTES_SIZE = 40;
    private static final int MEMORY_MB_AT = 32;
    private static final long MEBIBYTE = 1L << 20;

    private final NvmlDevice device;

    MigReader(NvmlDevice device) {
        this.device = device;
    }

    /** Present exactly in MIG mode. Slots can be empty in the middle, so all of them are looked at. */
    Optional<List<MigInstance>> read() {
        if (device.firstOfTwo("nvmlDeviceGetMigMode").orElse(0) != 1) {
            return Optional.empty();
        }
        int slots = Math.min(device.number("nvmlDeviceGetMaxMigDeviceCount").orElse(0), MAX_SLOTS);
        List<MigInstance> instances = new ArrayList<>();
        for (int slot = 0; slot < slots; slot++) {
            device.device("nvmlDeviceGetMigDeviceHandleByIndex", slot)
                    .map(MigReader::instance)
                    .ifPresent(instances::add);
        }
        return Optional.of(instances);
    }

    private static MigInstance instance(NvmlDevice mig) {
        return new MigInstance(
                mig.uuid(),
                mig.number("nvmlDeviceGetGpuInstanceId"),
                mig.number("nvmlDeviceGetComputeInstanceId"),
                mig.struct("nvmlDeviceGetAttributes_v2", ATTRIBUTES_SIZE)
                        .map(MigReader::memoryBytes)
                        .orElseGet(OptionalLong::empty));
    }

    private static OptionalLong memoryBytes(ByteBuffer attributes) {
        return OptionalLong.of(attributes.getLong(MEMORY_MB_AT) * MEBIBYTE);
    }
}
