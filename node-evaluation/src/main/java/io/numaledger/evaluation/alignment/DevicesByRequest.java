package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.alignment.ClaimNeeds.Alternative;
import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.cel.Match;
import io.numaledger.evaluation.claim.Device;
import io.numaledger.evaluation.claim.DeviceId;
import io.numaledger.evaluation.claim.DevicePool;
import io.numaledger.evaluation.claim.DeviceRequest;
import io.numaledger.evaluation.claim.DeviceRequest.AllocationMode;
import io.numaledger.evaluation.claim.NodeDevices;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The devices of a node that may meet each request, in the order in which kube-scheduler tries them: of pools, slices, and devices in them. */
final class DevicesByRequest {

    /** So many devices are passed over at the cost of one unit. */
    static final int DEVICES_PASSED_OVER = 16;

    private final NodeDevices node;
    private final Set<DeviceId> unavailable;
    private final EvaluationBudget.Part budget;
    private final List<Device> devices;
    private final IdentityHashMap<Alternative, Lists> byAlternative = new IdentityHashMap<>();

    /** Requests that differ only in name and count have the same devices. */
    private final Map<DeviceRequest.Alternative, Lists> byRequest = new HashMap<>();

    /**
     * The devices for one alternative of a request. With allocation mode All, also those that cannot be allocated.
     *
     * @param possible it is not known whether they fit
     * @param both all of them
     * @param compute those of them that are CPUs or memory
     */
    record Lists(List<Device> sure, Set<Device> possible, List<Device> both, List<Device> compute) {

        private static Lists empty() {
            return new Lists(
                    new ArrayList<>(),
                    Collections.newSetFromMap(new IdentityHashMap<>()),
                    new ArrayList<>(),
                    new ArrayList<>());
        }
    }

    /**
     * kube-scheduler allocates from complete pools only, from those with binding conditions last (structured/internal/incubating,
     * pools_incubating.go, GatherPools).
     */
    DevicesByRequest(NodeDevices node, EvaluationBudget.Part budget) {
        this.node = node;
        this.unavailable = node.unavailable();
        this.budget = budget;
        this.devices = node.pools().stream()
                .filter(DevicePool::complete)
                .sorted(Comparator.comparing(pool -> pool.devices().stream().anyMatch(Device::conditional)))
                .flatMap(pool -> pool.devices().stream())
                .toList();
        budget.take(1 + devices.size() / DEVICES_PASSED_OVER);
    }

    Lists of(Alternative alternative) {
        return byAlternative.computeIfAbsent(
                alternative,
                any -> byRequest.computeIfAbsent(alternative.wanted().unnamed(), same -> lists(alternative)));
    }

    /** The devices for an alternative. Beyond the budget there are none: callers ask whether it is used up. */
    private Lists lists(Alternative alternative) {
        Lists lists = Lists.empty();
        if (!budget.take(alternative.cost(devices.size()))) {
            return lists;
        }
        boolean isForAll = alternative.wanted().mode() == AllocationMode.ALL;
        for (Device device : devices) {
            Match match = !isForAll && !isAllocatable(alternative, device) ? Match.NO : alternative.matches(device);
            if (match != Match.NO) {
                (match == Match.YES ? lists.sure() : lists.possible()).add(device);
                lists.both().add(device);
                if (ClaimFit.isCompute(device)) {
                    lists.compute().add(device);
                }
            }
        }
        return lists;
    }

    private boolean isAllocatable(Alternative alternative, Device device) {
        return alternative.tolerates(device)
                && (alternative.wanted().adminAccess() || device.shared() || !isHeld(device));
    }

    /** Whether a claim holds the device, or others have used up its counters. */
    boolean isHeld(Device device) {
        return unavailable.contains(device.id());
    }

    /** Whether no pool is just being changed. */
    boolean areComplete() {
        return node.pools().stream().allMatch(DevicePool::complete);
    }
}
