package io.numaledger.agent.sysfs;

import io.numaledger.topology.MachineTopology;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Port: the NUMA shape of this machine, read anew. */
@FunctionalInterface
public interface NodeProbe {

    /**
     * What was read.
     *
     * @param coreKinds kind of cores → its CPUs as a kernel list; empty on machines with one kind
     * @param remarks a sentence for each thing that could not be read
     */
    record Reading(MachineTopology machine, SortedMap<String, String> coreKinds, List<String> remarks) {

        public Reading(MachineTopology machine, List<String> remarks) {
            this(machine, new TreeMap<>(), remarks);
        }
    }

    Reading probe();
}
