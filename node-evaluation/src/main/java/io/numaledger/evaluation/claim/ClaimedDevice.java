package io.numaledger.evaluation.claim;

import java.util.Optional;

/**
 * A device that was allocated to a claim.
 *
 * @param claim its key
 * @param device absent: no slice that was read had it
 */
public record ClaimedDevice(String claim, ClaimAllocation.Result allocated, Optional<Device> device) {

    public DeviceId id() {
        return allocated.device();
    }

    public NumaNodes numaNodes() {
        return device.map(Device::numaNodes).orElseGet(() -> new NumaNodes.Unknown("no ResourceSlice has it"));
    }

    /** The device as a sentence has it. */
    @Override
    public String toString() {
        return "%s of driver %s".formatted(id().name(), id().driver());
    }
}
