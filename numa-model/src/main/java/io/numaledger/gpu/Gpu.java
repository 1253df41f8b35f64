package io.numaledger.gpu;

import java.util.Optional;
import java.util.OptionalInt;

/**
 * One GPU and its location; unknown values are absent.
 *
 * @param uuid the driver's name of it, {@code GPU-…}: the one thing that stays through reboots
 * @param pciAddress where it is on the PCI bus
 * @param minor its number in {@code /dev/nvidia<minor>}
 * @param moduleId its slot on the board, 1 and up
 * @param numaNode the NUMA node whose CPUs are near it; any kernel id
 * @param memoryNumaNode the NUMA node that the GPU's own memory is (Grace, POWER9); never a node to place CPUs on
 * @param linksKnown whether its links could be read; false for a GPU that is lost or not open to us
 */
public record Gpu(
        Optional<String> uuid,
        Optional<PciAddress> pciAddress,
        OptionalInt minor,
        OptionalInt moduleId,
        OptionalInt numaNode,
        OptionalInt memoryNumaNode,
        boolean linksKnown) {

    public Gpu {
        if (numaNode.orElse(0) < 0 || memoryNumaNode.orElse(0) < 0) {
            throw new IllegalArgumentException(
                    "a NUMA node id is 0 or more: numaNode=%s memoryNumaNode=%s; leave an unknown node absent"
                            .formatted(numaNode, memoryNumaNode));
        }
    }

    /** A GPU of which nothing but its NUMA node is known. */
    public static Gpu onNumaNode(int numaNode) {
        return new Gpu(
                Optional.empty(),
                Optional.empty(),
                OptionalInt.empty(),
                OptionalInt.empty(),
                OptionalInt.of(numaNode),
                OptionalInt.empty(),
                true);
    }

    /** What to call it in a sentence: UUID, else PCI address, else {@code unknown}. */
    public String label() {
        return uuid.or(() -> pciAddress.map(PciAddress::toString)).orElse("unknown");
    }
}
