package io.numaledger.agent.nvml;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.UUID;

/** Reads the fabric state of one device, by the newest of three calls that the driver knows. */
final class FabricReader {

    private static final int OLD_SIZE = 28;
    private static final int V2_SIZE = 36;
    private static final int V3_SIZE = 40;

    private final NvmlDevice device;

    FabricReader(NvmlDevice device) {
        this.device = device;
    }

    /** The fabric state; absent on drivers that know no fabric. */
    Optional<FabricState> read() {
        return versioned(V3_SIZE, 3)
                .or(() -> versioned(V2_SIZE, 2))
                .map(info -> state(info, Integer.BYTES))
                .or(() -> device.struct("nvmlDeviceGetGpuFabricInfo", OLD_SIZE).map(info -> state(info, 0)));
    }

    private Optional<ByteBuffer> versioned(int size, int version) {
        byte[] info = new byte[size];
        ByteBuffer.wrap(info).order(ByteOrder.nativeOrder()).putInt(0, size | version << 24);
        return device.struct("nvmlDeviceGetGpuFabricInfoV", info);
    }

    /** Attached is: completed, with status success, to a cluster that has an id. */
    private static FabricState state(ByteBuffer info, int from) {
        UUID cluster = clusterUuid(info, from);
        int status = info.getInt(from + 16);
        int clique = info.getInt(from + 20);
        FabricState.Progress progress = FabricState.Progress.of(info.get(from + 24));
        boolean attached = progress == FabricState.Progress.COMPLETED && status == 0 && !cluster.equals(new UUID(0, 0));
        return new FabricState(
                progress, attached ? Optional.of(cluster + "." + Integer.toUnsignedString(clique)) : Optional.empty());
    }

    private static UUID clusterUuid(ByteBuffer info, int from) {
        ByteBuffer bytes = info.duplicate().order(ByteOrder.BIG_ENDIAN);
        return new UUID(bytes.getLong(from), bytes.getLong(from + Long.BYTES));
    }
}
