package io.numaledger.bridge.alignment;

import io.numaledger.bridge.alignment.ClaimNeeds.Alternative;
import io.numaledger.bridge.claim.Device;
import io.numaledger.bridge.claim.DevicePool;
import io.numaledger.bridge.claim.DeviceRequest.AllocationMode;
import io.numaledger.bridge.claim.NodeDevices;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;

/** Which devices of a node each request may be met by, in the order in which kube-scheduler tries them: of pools, slices, and devices in them. */
final class ClaimCandidates {

    private final NodeDevices node;
    private final SearchBudget budget;
    private final List<Device> devices;
    private final IdentityHashMap<Alternative, Lists> byAlternative = new IdentityHashMap<>();

    /**
     * The candidates of one alternative of a request. With allocation mode All, also those that cannot be allocated.
     *
     * @param possible it is not known whether they fit
     * @param both all of them
     */
    record Lists(List<Device> sure, List<Device> possible, List<Device> both) {

        @SuppressWarnings("ReferenceEquality")
        boolean isPossible(Device device) {
            return possible.stream().anyMatch(each -> each == device);
        }
    }

    /**
     * kube-scheduler allocates from complete pools only, from those with binding conditions last (structured/internal/incubating,
     * pools_incubating.go, GatherPools).
     */
    ClaimCandidates(NodeDevices node, SearchBudget budget) {
        this.node = node;
        this.budget = budget;
        this.devices = node.pools().stream()
                .filter(DevicePool::complete)
                .sorted(Comparator.comparing(pool -> pool.devices().stream().anyMatch(Device::conditional)))
                .flatMap(pool -> pool.devices().stream())
                .toList();
    }

    Lists of(Alternative alternative) {
        return byAlternative.computeIfAbsent(alternative, this::lists);
    }

    private Lists lists(Alternative alternative) {
        Lists lists = new Lists(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
        boolean isForAll = alternative.wanted().mode() == AllocationMode.ALL;
        boolean isEvaluated = budget.spend((long) devices.size() * alternative.cost());
        for (Device device : devices) {
            Match match = !isForAll && !isAllocatable(alternative, device)
                    ? Match.NO
                    : isEvaluated ? alternative.matches(device) : Match.COULD;
            if (match != Match.NO) {
                (match == Match.YES ? lists.sure() : lists.possible()).add(device);
                lists.both().add(device);
            }
        }
        return lists;
    }

    private boolean isAllocatable(Alternative alternative, Device device) {
        return alternative.tolerates(device)
                && (alternative.wanted().adminAccess() || device.shared() || !isHeld(device));
    }

    SearchBudget budget() {
        return budget;
    }

    /** Whether a claim holds the device. */
    boolean isHeld(Device device) {
        return node.claims().containsKey(device.id());
    }

    /** Whether no pool is just being changed. */
    boolean areComplete() {
        return node.pools().stream().allMatch(DevicePool::complete);
    }
}
