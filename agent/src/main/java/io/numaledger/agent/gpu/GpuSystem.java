package io.numaledger.agent.gpu;

import io.numaledger.agent.pci.PciFunction;
import io.numaledger.gpu.GpuTopology;

import java.util.List;
import java.util.Optional;

/**
 * A machine as seen from its GPUs: this one, or one that a file describes.
 *
 * @param name the machine's
 * @param details one entry per GPU of the topology
 * @param nics in the order to print
 * @param switches the NVSwitches that the machine shows; often none though it has them
 */
public record GpuSystem(
        String name,
        Optional<String> description,
        GpuTopology topology,
        List<GpuDetail> details,
        List<GpuNic> nics,
        List<PciFunction> switches) {

    public GpuSystem {
        details = List.copyOf(details);
        nics = List.copyOf(nics);
        switches = List.copyOf(switches);
        if (details.size() != topology.gpus().size()) {
            throw new IllegalArgumentException("one detail per GPU is expected: gpus=%d details=%d; add the others"
                    .formatted(topology.gpus().size(), details.size()));
        }
    }
}
