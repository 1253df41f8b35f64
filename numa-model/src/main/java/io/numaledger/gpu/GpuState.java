package io.numaledger.gpu;

import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** What a GPU is doing. It changes with every pod, unlike the topology. */
public enum GpuState {
    FREE,
    /** A container holds it, or a slice or a share of it. */
    USED,
    /** The GPU is in MIG mode and no container holds a slice of it. */
    MIG,
    /** The driver does not let us read it. */
    LOST;

    /** What separates a device from the number of its share: time slicing and MPS hand out {@code <id>::<n>}. */
    private static final String SHARE = "::";

    /** The lower-case word used in annotations. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The state of each GPU, by its index.
     *
     * @param slices MIG instance uuid → index of its GPU, for GPUs in MIG mode
     * @param partitioned the GPUs in MIG mode
     * @param heldDevices device ids that containers hold, as NVIDIA's device plugin names them; others are passed over
     */
    public static List<GpuState> of(
            GpuTopology topology, Map<String, Integer> slices, GpuSet partitioned, Collection<String> heldDevices) {
        Set<String> held = heldDevices.stream().map(GpuState::withoutShare).collect(Collectors.toSet());
        Set<Integer> bySlice = held.stream()
                .flatMap(device -> Optional.ofNullable(slices.get(device)).stream())
                .collect(Collectors.toSet());
        return IntStream.range(0, topology.gpus().size())
                .mapToObj(index -> {
                    Gpu gpu = topology.gpus().get(index);
                    boolean used = gpu.uuid().filter(held::contains).isPresent() || bySlice.contains(index);
                    return state(gpu, used, partitioned.contains(index));
                })
                .toList();
    }

    private static String withoutShare(String device) {
        int at = device.indexOf(SHARE);
        return at < 0 ? device : device.substring(0, at);
    }

    private static GpuState state(Gpu gpu, boolean used, boolean partitioned) {
        if (!gpu.linksKnown()) {
            return LOST;
        }
        if (used) {
            return USED;
        }
        return partitioned ? MIG : FREE;
    }
}
