package io.numaledger.agent.nvml;

import com.sun.jna.Pointer;
import io.numaledger.gpu.PcieLevel;

import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Reads all values of one GPU. */
final class GpuReader {

    private static final int NAME_LENGTH = 96;
    private static final int NODE_WORDS = 16;
    private static final int SCOPE_NODE = 0;
    private static final int P2P_NVLINK = 2;

    private final int index;
    private final Refusals refusals = new Refusals();
    private final NvmlDevice device;

    GpuReader(int index, NvmlLibrary library, Pointer handle) {
        this.index = index;
        this.device = new NvmlDevice(library, handle, refusals);
    }

    NvmlDevice device() {
        return device;
    }

    /** Never throws: a GPU that stops responding is reported as unreadable, with the values that were read before. */
    NvmlGpu read(List<GpuReader> all, Consumer<String> warnings) {
        NvmlGpu.Identity identity = NvmlGpu.Identity.UNKNOWN;
        try {
            identity = identity();
            NvmlGpu gpu = read(identity, all);
            refusals.sentences(gpu.label()).forEach(warnings);
            return gpu;
        } catch (GpuUnreadableException e) {
            NvmlGpu lost = NvmlGpu.unreadable(index, identity, e.reason());
            warnings.accept("cannot read a GPU: gpu=%s: %s; its links are unknown; %s"
                    .formatted(lost.label(), e.getMessage(), e.reason().remedy()));
            return lost;
        }
    }

    private NvmlGpu.Identity identity() {
        return new NvmlGpu.Identity(
                device.uuid(),
                device.text("nvmlDeviceGetName", NAME_LENGTH),
                new NvLinkReader(device).ownAddress(),
                device.number("nvmlDeviceGetMinorNumber"),
                device.number("nvmlDeviceGetModuleId"));
    }

    private NvmlGpu read(NvmlGpu.Identity identity, List<GpuReader> all) {
        return new NvmlGpu(
                index,
                identity,
                Optional.empty(),
                new MigReader(device).read(),
                new NvLinkReader(device).read(),
                affinityNode(),
                device.number("nvmlDeviceGetNumaNodeId"),
                new FabricReader(device).read(),
                toOthers(all));
    }

    /** A GPU that is near several nodes is near none of them in particular. */
    private OptionalInt affinityNode() {
        int[] nodes = device.words("nvmlDeviceGetMemoryAffinity", NODE_WORDS, SCOPE_NODE)
                .map(words -> BitSet.valueOf(words).stream().limit(2).toArray())
                .orElse(new int[0]);
        return nodes.length == 1 ? OptionalInt.of(nodes[0]) : OptionalInt.empty();
    }

    private SortedMap<Integer, NvmlGpu.Pair> toOthers(List<GpuReader> all) {
        SortedMap<Integer, NvmlGpu.Pair> pairs = new TreeMap<>();
        for (GpuReader other : all) {
            if (other != this) {
                pairs.put(other.index, pair(other));
            }
        }
        return pairs;
    }

    /** A lost partner fails the pair, not this GPU. */
    private NvmlGpu.Pair pair(GpuReader other) {
        try {
            OptionalInt ancestor = device.number(
                    "nvmlDeviceGetTopologyCommonAncestor", other.device().handle());
            return new NvmlGpu.Pair(
                    ancestor.isPresent() ? level(ancestor.getAsInt()) : Optional.empty(),
                    device.number("nvmlDeviceGetP2PStatus", other.device().handle(), P2P_NVLINK));
        } catch (GpuUnreadableException e) {
            return new NvmlGpu.Pair(Optional.empty(), OptionalInt.empty());
        }
    }

    /** {@code nvmlGpuTopologyLevel_t}; two GPUs of one board have the level of one switch. */
    private static Optional<PcieLevel> level(int ancestor) {
        return switch (ancestor) {
            case 0, 10 -> Optional.of(PcieLevel.PIX);
            case 20 -> Optional.of(PcieLevel.PXB);
            case 30 -> Optional.of(PcieLevel.PHB);
            case 40 -> Optional.of(PcieLevel.NODE);
            case 50 -> Optional.of(PcieLevel.SYS);
            default -> Optional.empty();
        };
    }
}
