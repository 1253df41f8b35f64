package io.numaledger.agent.gpu;

import io.numaledger.gpu.PciAddress;
import io.numaledger.gpu.PcieLevel;

import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * An RDMA NIC and how far each GPU is from it.
 *
 * @param name as in {@code class/infiniband}
 * @param numaNode the node whose CPUs are near it
 * @param toGpus one entry per GPU, by its index; absent where not known
 */
public record GpuNic(
        String name, Optional<PciAddress> address, OptionalInt numaNode, List<Optional<PcieLevel>> toGpus) {

    public GpuNic {
        toGpus = List.copyOf(toGpus);
    }
}
