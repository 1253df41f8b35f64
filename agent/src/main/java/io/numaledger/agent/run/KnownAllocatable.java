package io.numaledger.agent.run;

import io.numaledger.placement.AllocatableResources;
import io.numaledger.placement.DeviceAllocation;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What the kubelet may give out. A kubelet that has just restarted knows no devices of plugins that have not registered with it
 * again: for a while, a resource that is missing as a whole is taken to be as it was. CPUs and memory it knows from its start.
 */
final class KnownAllocatable {

    private final Duration keepMissingFor;
    private Optional<AllocatableResources> last = Optional.empty();
    private volatile Instant restartedAt = Instant.EPOCH;

    KnownAllocatable(Duration keepMissingFor) {
        this.keepMissingFor = keepMissingFor;
    }

    /** The kubelet went away; may be called from any thread. */
    void kubeletGone(Instant now) {
        restartedAt = now;
    }

    /** The allocatable resources to use after this answer of the kubelet. */
    AllocatableResources settle(AllocatableResources reported, Instant now) {
        AllocatableResources settled = reported;
        if (last.isPresent() && now.isBefore(restartedAt.plus(keepMissingFor))) {
            settled = withMissing(reported, last.get().devices());
        }
        last = Optional.of(settled);
        return settled;
    }

    private static AllocatableResources withMissing(AllocatableResources reported, List<DeviceAllocation> before) {
        Set<String> known =
                reported.devices().stream().map(DeviceAllocation::resource).collect(Collectors.toSet());
        List<DeviceAllocation> devices = new ArrayList<>(reported.devices());
        before.stream().filter(device -> !known.contains(device.resource())).forEach(devices::add);
        return new AllocatableResources(reported.cpus(), reported.memory(), devices);
    }
}
