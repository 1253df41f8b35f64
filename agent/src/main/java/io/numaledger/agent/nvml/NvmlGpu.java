package io.numaledger.agent.nvml;

import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the driver reports about one GPU; values that it does not report are absent.
 *
 * @param index the driver's own, which may change with a reboot
 * @param unreadable why nothing more could be read, when the GPU is lost or not open to us
 * @param mig its slices; present, possibly empty, exactly in MIG mode
 * @param affinityNode the one node that NVML names as near; absent when it names several
 * @param memoryNode the node that the GPU's own memory is; never one to place CPUs on
 * @param toOthers what the driver reports about the pair with another GPU, by the other's index
 */
public record NvmlGpu(
        int index,
        Identity identity,
        Optional<NvmlReturn> unreadable,
        Optional<List<MigInstance>> mig,
        List<NvLink> links,
        OptionalInt affinityNode,
        OptionalInt memoryNode,
        Optional<FabricState> fabric,
        SortedMap<Integer, Pair> toOthers) {

    public NvmlGpu {
        mig = mig.map(List::copyOf);
        links = List.copyOf(links);
        toOthers = Collections.unmodifiableSortedMap(new TreeMap<>(toOthers));
    }

    /** A GPU that only this much is known of. */
    static NvmlGpu unreadable(int index, Identity identity, NvmlReturn reason) {
        return new NvmlGpu(
                index,
                identity,
                Optional.of(reason),
                Optional.empty(),
                List.of(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                Optional.empty(),
                new TreeMap<>(Map.of()));
    }

    /** Which GPU it is. {@code moduleId} is its slot on the board, 1 and up. */
    public record Identity(
            Optional<String> uuid,
            Optional<String> name,
            Optional<PciAddress> address,
            OptionalInt minor,
            OptionalInt moduleId) {

        public static final Identity UNKNOWN = new Identity(
                Optional.empty(), Optional.empty(), Optional.empty(), OptionalInt.empty(), OptionalInt.empty());
    }

    /**
     * Two GPUs.
     *
     * @param pcie how near on PCIe
     * @param linkStatus the driver's code for use of NVLink between them: 0 is usable
     */
    public record Pair(Optional<PcieLevel> pcie, OptionalInt linkStatus) {}

    /** UUID, else PCI address, else the driver's index. */
    public String label() {
        return identity.uuid()
                .or(() -> identity.address().map(PciAddress::toString))
                .orElse("index " + index);
    }
}
