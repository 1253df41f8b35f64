package io.numaledger.ledger;

import io.numaledger.kubelet.Machine;
import io.numaledger.kubelet.NodeState;
import io.numaledger.kubelet.cpu.CpuState;
import io.numaledger.kubelet.device.Device;
import io.numaledger.kubelet.memory.MemoryState;
import io.numaledger.placement.Amounts;
import io.numaledger.placement.Placement;
import io.numaledger.topology.CpuSet;

import java.util.SortedSet;

/** What one step took from each NUMA node; a device of several nodes counts on each of them. */
final class TakenZones {

    private final Placement.Builder taken = new Placement.Builder();

    private TakenZones() {}

    static Placement between(Machine machine, NodeState before, NodeState after) {
        TakenZones zones = new TakenZones();
        before.cpus().ifPresent(cpus -> zones.cpus(machine, cpus, after.cpus().orElseThrow()));
        before.memory().ifPresent(memory -> zones.memory(memory, after.memory().orElseThrow()));
        machine.devices().forEach((resource, devices) -> {
            SortedSet<String> heldBefore = before.devices().held(resource);
            SortedSet<String> heldAfter = after.devices().held(resource);
            for (Device device : devices) {
                if (heldAfter.contains(device.id()) && !heldBefore.contains(device.id())) {
                    device.numaNodes().ids().forEach(id -> zones.taken.add(id, resource, 1));
                }
            }
        });
        return zones.taken.build();
    }

    private void cpus(Machine machine, CpuState before, CpuState after) {
        CpuSet gone = before.shared().minus(after.shared());
        machine.topology()
                .numaNodes()
                .forEach(node -> taken.add(
                        node.id(), Amounts.CPU, node.cpus().intersect(gone).size() * 1000L));
    }

    private void memory(MemoryState before, MemoryState after) {
        before.nodes()
                .forEach((id, memory) -> memory.free()
                        .forEach((type, free) -> taken.add(
                                id, type, free - after.nodes().get(id).free().get(type))));
    }
}
