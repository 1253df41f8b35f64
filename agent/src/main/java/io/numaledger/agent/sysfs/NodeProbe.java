package io.numaledger.agent.sysfs;

import io.numaledger.topology.MachineTopology;

import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Port: reads the NUMA topology of this machine. */
@FunctionalInterface
public interface NodeProbe {

    /**
     * What was read.
     *
     * @param coreKinds kind of cores → its CPUs as a kernel list; empty on machines with one kind
     * @param warnings one sentence for each value that could not be read
     */
    record Reading(MachineTopology machine, SortedMap<String, String> coreKinds, List<String> warnings) {

        public Reading(MachineTopology machine, List<String> warnings) {
            this(machine, new TreeMap<>(), warnings);
        }
    }

    Reading probe();
}
