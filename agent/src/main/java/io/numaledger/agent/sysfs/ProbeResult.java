package io.numaledger.agent.sysfs;

import io.numaledger.topology.MachineTopology;

import java.util.List;

/**
 * What one look at sysfs yielded.
 *
 * @param topology what could be read; without NUMA nodes when nothing could
 * @param remarks one sentence for each thing that could not be used: what, which object, what to do; in the order met,
 *     the same from look to look while the machine is the same
 */
public record ProbeResult(MachineTopology topology, List<String> remarks) {

    public ProbeResult {
        remarks = List.copyOf(remarks);
    }
}
