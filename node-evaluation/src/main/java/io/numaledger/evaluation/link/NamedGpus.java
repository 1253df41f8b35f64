package io.numaledger.evaluation.link;

import io.numaledger.gpu.Gpu;
import io.numaledger.gpu.GpuSet;
import io.numaledger.gpu.GpuTopology;
import io.numaledger.placement.DeviceAllocation;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Finds the GPUs that device ids name: NVIDIA's device plugin uses the UUIDs of whole GPUs. */
final class NamedGpus {

    /** Whole GPUs of NVIDIA's device plugin. */
    static final String RESOURCE = "nvidia.com/gpu";

    private NamedGpus() {}

    /**
     * The GPUs among these devices.
     *
     * @throws IllegalArgumentException for an id that the topology does not name, such as one of a slice of a GPU
     */
    static GpuSet of(GpuTopology gpus, Stream<DeviceAllocation> devices) {
        List<Optional<String>> uuids = gpus.gpus().stream().map(Gpu::uuid).toList();
        return GpuSet.of(devices.filter(device -> device.resource().equals(RESOURCE))
                .map(device -> uuids.indexOf(Optional.of(device.deviceId())))
                .peek(NamedGpus::check)
                .distinct()
                .toList());
    }

    private static void check(int index) {
        if (index < 0) {
            throw new IllegalArgumentException("a pod holds a device that the GPU topology does not name");
        }
    }
}
