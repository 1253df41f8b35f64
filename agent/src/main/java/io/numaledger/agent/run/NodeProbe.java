package io.numaledger.agent.run;

import io.numaledger.topology.MachineTopology;

import java.util.List;

/** Port: the NUMA shape of this machine, read anew. */
@FunctionalInterface
public interface NodeProbe {

    /** What was read, and a sentence for each thing that could not be. */
    record Reading(MachineTopology machine, List<String> remarks) {}

    Reading probe();
}
