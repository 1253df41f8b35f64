package io.numaledger.evaluation.claim;

import java.util.List;

/** The objects of Dynamic Resource Allocation in a cluster at one instant. */
public record DeviceObjects(List<ResourceSlice> slices, List<ResourceClaim> claims, List<DeviceClass> classes) {

    public static final DeviceObjects NONE = new DeviceObjects(List.of(), List.of(), List.of());

    public DeviceObjects {
        slices = List.copyOf(slices);
        claims = List.copyOf(claims);
        classes = List.copyOf(classes);
    }
}
