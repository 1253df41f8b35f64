package io.numaledger.agent.sysfs;

import io.numaledger.topology.MachineTopology;

import java.util.List;

/**
 * The result of one read of sysfs.
 *
 * @param topology what could be read; without NUMA nodes when nothing could
 * @param warnings one sentence for each unusable value: the problem, the object, what to do; in a stable order
 */
public record ProbeResult(MachineTopology topology, List<String> warnings) {

    public ProbeResult {
        warnings = List.copyOf(warnings);
    }
}
