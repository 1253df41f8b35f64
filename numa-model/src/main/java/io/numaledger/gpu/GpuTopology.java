package io.numaledger.gpu;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The GPUs of one machine and what links them. It changes with the machine's wiring, not with what runs on it.
 *
 * @param gpus by ascending PCI address where that is known; the place in this list is the index used everywhere
 * @param kind what the links lead to
 * @param links of each pair
 * @param pcie of each pair
 * @param clique {@code <cluster uuid>.<clique id>} of the multi-node fabric that all GPUs are attached to: GPUs of two
 *     machines reach each other by NVLink exactly when both machines have the same one
 */
public record GpuTopology(List<Gpu> gpus, LinkKind kind, LinkMatrix links, PcieLevels pcie, Optional<String> clique) {

    public static final GpuTopology NONE =
            new GpuTopology(List.of(), LinkKind.NONE, LinkMatrix.none(0), PcieLevels.unknown(0), Optional.empty());

    public GpuTopology {
        gpus = List.copyOf(gpus);
        if (links.size() != gpus.size() || pcie.size() != gpus.size() || gpus.size() > GpuSet.MAX_INDEX + 1) {
            throw new IllegalArgumentException(
                    "a topology has one row per GPU, 128 at most: gpus=%d nvlinks=%d pcie=%d; correct the rows"
                            .formatted(gpus.size(), links.size(), pcie.size()));
        }
    }

    public GpuSet all() {
        return GpuSet.first(gpus.size());
    }

    /** The GPUs near one of these NUMA nodes; a GPU of unknown node is near none. */
    public GpuSet onNumaNodes(Collection<Integer> numaNodes) {
        return GpuSet.of(IntStream.range(0, gpus.size())
                .filter(index -> gpus.get(index).numaNode().stream().anyMatch(numaNodes::contains))
                .toArray());
    }

    /** The cell of {@code nvidia-smi topo -m}: {@code X}, {@code NV<links>}, else the PCIe level; {@code ?} if unknown. */
    public String cell(int row, int column) {
        if (row == column) {
            return "X";
        }
        int count = links.links(row, column);
        return count > 0
                ? "NV" + count
                : pcie.level(row, column).map(PcieLevel::name).orElse("?");
    }
}
