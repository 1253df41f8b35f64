package io.numaledger.nrt.profile;

import io.numaledger.nrt.NodeTopology.Zone;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.placement.Amounts;
import io.numaledger.resource.ResourceKind;
import io.numaledger.topology.MachineTopology;
import io.numaledger.topology.NumaNode;
import io.numaledger.topology.ZoneName;

import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** A zone as resource-topology-exporter and nfd-topology-updater show it. */
final class PlainZone {

    private PlainZone() {}

    /** Resources of which something is allocatable; a zone without any shows its CPUs, none of them allocatable. */
    static Zone of(Zone zone, MachineTopology machine, SortedMap<String, String> attributes) {
        TreeMap<String, ZoneResource> resources = new TreeMap<>();
        zone.resources().forEach((name, resource) -> {
            if (resource.allocatable() > 0) {
                long capacity = isDevice(name) ? resource.allocatable() : resource.capacity();
                resources.put(name, new ZoneResource(capacity, resource.allocatable(), resource.available()));
            }
        });
        if (resources.isEmpty()) {
            resources.put(Amounts.CPU, new ZoneResource(cpuMillis(zone, machine), 0, 0));
        }
        return new Zone(zone.name(), zone.type(), zone.costs(), attributes, resources);
    }

    private static boolean isDevice(String resource) {
        return ResourceKind.of(resource) == ResourceKind.DEVICE;
    }

    private static long cpuMillis(Zone zone, MachineTopology machine) {
        Optional<NumaNode> numaNode = ZoneName.numaNode(zone.name()).flatMap(machine::numaNode);
        return numaNode.map(found -> found.cpus().size() * 1000L).orElse(0L);
    }
}
