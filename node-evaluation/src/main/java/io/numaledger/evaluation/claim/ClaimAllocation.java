package io.numaledger.evaluation.claim;

import io.numaledger.pod.RequestedAmount;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.stream.Collectors;

import static io.numaledger.topology.Sorted.sorted;

/**
 * The devices that kube-scheduler has allocated to a claim. It stands while a driver is away.
 *
 * @param node the only one where pods can use them; absent: several can
 */
public record ClaimAllocation(Optional<String> node, List<Result> devices) {

    /**
     * One allocated device, or a share of one.
     *
     * @param request {@code request} or {@code request/alternative}
     * @param shareId of the share of a device that several claims hold
     * @param consumed what the share takes of the device's capacity
     * @param adminAccess it takes nothing from others
     */
    public record Result(
            String request,
            DeviceId device,
            Optional<String> shareId,
            SortedMap<String, RequestedAmount> consumed,
            boolean adminAccess) {

        public Result {
            consumed = sorted(consumed);
        }
    }

    public ClaimAllocation {
        devices = List.copyOf(devices);
    }

    /** The devices that it takes from others: who administers a device takes it from nobody. */
    public Set<DeviceId> held() {
        return devices.stream()
                .filter(result -> !result.adminAccess())
                .map(Result::device)
                .collect(Collectors.toUnmodifiableSet());
    }
}
