package io.numaledger.evaluation.snapshot;

import io.numaledger.nrt.DeviceGroup;
import io.numaledger.nrt.NodeTopology;
import io.numaledger.nrt.NodeTopology.ZoneResource;
import io.numaledger.nrt.TopologyAttributes;
import io.numaledger.nrt.UnhealthyDevices;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.resource.ResourceKind;

import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a topology says about devices that pods hold: which of them are unhealthy, or gone. Such a device is not free and takes no
 * healthy one from other pods.
 */
final class HeldDevices {

    private final UnhealthyDevices unhealthy;
    /** Resources with unhealthy held devices of which no id is published. */
    private final Set<String> unnamed = new TreeSet<>();

    private HeldDevices(UnhealthyDevices unhealthy) {
        this.unhealthy = unhealthy;
    }

    static HeldDevices of(NodeTopology topology) {
        HeldDevices held = new HeldDevices(UnhealthyDevices.of(topology));
        if (topology.isFromAgent()) {
            topology.numaZones().values().forEach(zone -> zone.resources().forEach(held::add));
            DeviceGroup.of(topology)
                    .forEach(group ->
                            held.add(group.resource(), new ZoneResource(group.capacity(), group.allocatable(), 0)));
        }
        return held;
    }

    private void add(String resource, ZoneResource amounts) {
        if (amounts.capacity() > amounts.allocatable()
                && ResourceKind.of(resource) == ResourceKind.DEVICE
                && unhealthy.count(resource) == 0) {
            unnamed.add(resource);
        }
    }

    /** Whether a device that a pod's record names is unhealthy; where it is not published which are, the first ones are taken. */
    boolean isUnhealthy(DeviceAllocation device) {
        return unnamed.contains(device.resource()) || unhealthy.contains(device.resource(), device.deviceId());
    }

    /** Whether two topologies say the same about the ids of unhealthy devices. */
    static boolean areEqual(NodeTopology one, NodeTopology other) {
        return Objects.equals(
                one.attributes().get(TopologyAttributes.UNHEALTHY_DEVICES),
                other.attributes().get(TopologyAttributes.UNHEALTHY_DEVICES));
    }

    /** How much of an amount of a zone pods hold. The capacity of an agent's devices has the unhealthy ones that pods hold. */
    static long amount(NodeTopology topology, String resource, ZoneResource zone) {
        boolean unhealthyToo = topology.isFromAgent() && ResourceKind.of(resource) == ResourceKind.DEVICE;
        return (unhealthyToo ? Math.max(zone.capacity(), zone.allocatable()) : zone.allocatable()) - zone.available();
    }
}
