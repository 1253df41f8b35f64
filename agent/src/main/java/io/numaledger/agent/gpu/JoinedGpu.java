package io.numaledger.agent.gpu;

import io.numaledger.agent.nvml.NvmlGpu;
import io.numaledger.agent.pci.PciFunction;
import io.numaledger.gpu.PciAddress;

import java.util.Comparator;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * One GPU as the driver and sysfs know it; one of the two is there at least.
 *
 * @param driver absent for a GPU that the driver does not show to us
 * @param function absent where sysfs does not show it
 */
record JoinedGpu(Optional<NvmlGpu> driver, Optional<PciFunction> function) {

    /** The order by PCI address; GPUs without one come last, in the driver's order. */
    static final Comparator<JoinedGpu> ORDER = Comparator.comparing(
                    (JoinedGpu gpu) -> gpu.address().isEmpty())
            .thenComparing(gpu -> gpu.address().orElse(new PciAddress(0, 0, 0, 0)))
            .thenComparingInt(gpu -> gpu.driver().map(NvmlGpu::index).orElse(0));

    Optional<PciAddress> address() {
        return function.map(PciFunction::address)
                .or(() -> driver.flatMap(gpu -> gpu.identity().address()));
    }

    boolean readable() {
        return driver.isPresent() && driver.get().unreadable().isEmpty();
    }

    /** The kernel's answer; NVML's only where it has none. */
    OptionalInt numaNode() {
        OptionalInt reported = function.map(PciFunction::numaNode).orElseGet(OptionalInt::empty);
        return reported.isPresent()
                ? reported
                : driver.map(NvmlGpu::affinityNode).orElseGet(OptionalInt::empty);
    }
}
