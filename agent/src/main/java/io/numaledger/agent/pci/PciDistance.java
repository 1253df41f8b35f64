package io.numaledger.agent.pci;

import io.numaledger.gpu.PcieLevel;

import java.util.List;
import java.util.Optional;

/** The distance of two PCI functions in the PCI tree, as {@code nvidia-smi topo -m} names it. */
public final class PciDistance {

    private PciDistance() {}

    /**
     * Below one host bridge, the bridges that the two do not share decide; between host bridges, their NUMA nodes.
     *
     * @return empty when a place is not known, or when both host bridges are known and a NUMA node is not
     */
    public static Optional<PcieLevel> between(PciFunction first, PciFunction second) {
        if (first.upstream().isEmpty() || second.upstream().isEmpty()) {
            return betweenNumaNodes(first, second).filter(level -> level == PcieLevel.SYS);
        }
        int shared = shared(first.upstream(), second.upstream());
        if (shared == 0) {
            return betweenNumaNodes(first, second);
        }
        if (shared == 1) {
            return Optional.of(PcieLevel.PHB);
        }
        int apart = Math.max(first.upstream().size(), second.upstream().size()) - shared;
        return Optional.of(apart <= 1 ? PcieLevel.PIX : PcieLevel.PXB);
    }

    private static Optional<PcieLevel> betweenNumaNodes(PciFunction first, PciFunction second) {
        if (first.numaNode().isEmpty() || second.numaNode().isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(first.numaNode().equals(second.numaNode()) ? PcieLevel.NODE : PcieLevel.SYS);
    }

    private static int shared(List<String> first, List<String> second) {
        int shared = 0;
        while (shared < Math.min(first.size(), second.size())
                && first.get(shared).equals(second.get(shared))) {
            shared++;
        }
        return shared;
    }
}
