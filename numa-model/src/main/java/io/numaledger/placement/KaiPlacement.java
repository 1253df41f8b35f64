package io.numaledger.placement;

import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;

import java.util.TreeMap;

/**
 * The placement that KAI's exporter writes (KAI-Scheduler, pkg/npe/placement): each CPU id counts as often as it is reported;
 * devices and memory count if their entry has exactly one NUMA node, whether the machine has it or not.
 */
public final class KaiPlacement {

    private static final long MILLI = 1000;

    private KaiPlacement() {}

    public static Placement of(MachineTopology machine, ReportedEntries reported) {
        TreeMap<Long, Integer> zones = new TreeMap<>();
        for (NumaNode node : machine.numaNodes()) {
            node.cpus().ids().forEach(cpu -> zones.put((long) cpu, node.id()));
        }
        Placement.Builder placement = new Placement.Builder();
        for (long cpu : reported.cpuIds()) {
            Integer zone = zones.get(cpu);
            if (zone != null) {
                placement.add(zone, Amounts.CPU, MILLI);
            }
        }
        reported.devices().forEach(entry -> add(entry, placement));
        reported.memory().forEach(entry -> add(entry, placement));
        return placement.build();
    }

    private static void add(ReportedEntries.Entry entry, Placement.Builder placement) {
        if (entry.numaNodes().size() == 1
                && entry.numaNodes().get(0) == entry.numaNodes().get(0).intValue()) {
            // Amounts of the resource cpu are in milli-CPU, also where a device plugin has that name.
            long unit = entry.resource().equals(Amounts.CPU) ? MILLI : 1;
            placement.add(entry.numaNodes().get(0).intValue(), entry.resource(), entry.amount() * unit);
        }
    }
}
