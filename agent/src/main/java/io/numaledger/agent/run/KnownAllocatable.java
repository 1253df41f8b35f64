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

    private final Duration patience;
    private Optional<AllocatableResources> last = Optional.empty();
    private volatile Instant restartedAt = Instant.EPOCH;

    KnownAllocatable(Duration patience) {
        this.patience = patience;
    }

    /** The kubelet went away; may be called from any thread. */
    void kubeletGone(Instant now) {
        restartedAt = now;
    }

    /** What counts, after the kubelet has said this. */
    AllocatableResources settle(AllocatableResources told, Instant now) {
        AllocatableResources settled = told;
        if (last.isPresent() && now.isBefore(restartedAt.plus(patience))) {
            settled = withMissing(told, last.get().devices());
        }
        last = Optional.of(settled);
        return settled;
    }

    private static AllocatableResources withMissing(AllocatableResources told, List<DeviceAllocation> before) {
        Set<String> known =
                told.devices().stream().map(DeviceAllocation::resource).collect(Collectors.toSet());
        List<DeviceAllocation> devices = new ArrayList<>(told.devices());
        before.stream().filter(device -> !known.contains(device.resource())).forEach(devices::add);
        return new AllocatableResources(told.cpus(), told.memory(), devices);
    }
}
