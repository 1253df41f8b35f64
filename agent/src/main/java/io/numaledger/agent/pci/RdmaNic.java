package io.numaledger.agent.pci;

import java.util.List;
import java.util.Optional;

/**
 * A device that can do RDMA.
 *
 * @param name as in {@code class/infiniband}, such as {@code mlx5_0}
 * @param function its place on the PCI bus; absent for software devices and those of other buses
 * @param ports by ascending number
 */
public record RdmaNic(String name, Optional<PciFunction> function, List<Port> ports) {

    public RdmaNic {
        ports = List.copyOf(ports);
    }

    /**
     * One port, in the kernel's own words.
     *
     * @param number 1 and up
     * @param linkLayer {@code InfiniBand} or {@code Ethernet}
     * @param state such as {@code ACTIVE}
     * @param rate such as {@code 100 Gb/sec (4X EDR)}
     */
    public record Port(int number, Optional<String> linkLayer, Optional<String> state, Optional<String> rate) {}
}
