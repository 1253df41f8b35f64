package io.numaledger.evaluation.snapshot;

import io.numaledger.evaluation.holder.Holder;
import io.numaledger.placement.DeviceAllocation;
import io.numaledger.placement.Placement;

import java.util.List;

/**
 * What one pod holds on a node.
 *
 * @param key {@code namespace/name}; {@link Holder#UNKNOWN} for what is held by unknown pods
 * @param terminating it holds the resources now, and not after releases
 * @param devices the devices that its own record names; empty where there is no such record
 */
public record PodHolding(
        String key, PlacementSource source, boolean terminating, Placement placement, List<DeviceAllocation> devices) {

    public PodHolding {
        devices = List.copyOf(devices);
    }

    /** Who it is. */
    public Holder holder() {
        return Holder.of(key);
    }
}
