package io.numaledger.evaluation.alignment;

import io.numaledger.evaluation.budget.EvaluationBudget;
import io.numaledger.evaluation.claim.DeviceId;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import static java.util.Objects.requireNonNull;

/**
 * A matching of needed devices with those that there are: whether enough are there for several claims, where nobody knows which claim gets
 * which. Immutable.
 */
final class DeviceMatching {

    static final DeviceMatching EMPTY = new DeviceMatching(Map.of());

    /** A device → for which needed device it is: one of these. */
    private final Map<DeviceId, List<DeviceId>> taken;

    private DeviceMatching(Map<DeviceId, List<DeviceId>> taken) {
        this.taken = taken;
    }

    /**
     * This matching with more needed devices; absent if there are not enough. Unchanged where that is beyond the budget.
     *
     * @param needed for each, which devices it could be
     */
    Optional<DeviceMatching> with(List<List<DeviceId>> needed, EvaluationBudget.Part budget) {
        Map<DeviceId, List<DeviceId>> all = new HashMap<>(taken);
        boolean isEnough = budget.take(1 + taken.size() / DevicesByRequest.DEVICES_PASSED_OVER)
                && needed.stream().allMatch(each -> match(each, all, budget));
        if (budget.isUsedUp()) {
            return Optional.of(this);
        }
        return isEnough ? Optional.of(new DeviceMatching(all)) : Optional.empty();
    }

    /**
     * Takes a free device, or one whose user can have another one. The search goes from device to device, breadth first.
     *
     * @param taken changed only if there is such a device
     */
    private static boolean match(
            List<DeviceId> needed, Map<DeviceId, List<DeviceId>> taken, EvaluationBudget.Part budget) {
        Map<DeviceId, Optional<DeviceId>> reachedFrom = new HashMap<>();
        Deque<DeviceId> users = new ArrayDeque<>();
        List<DeviceId> wanted = needed;
        Optional<DeviceId> from = Optional.empty();
        while (budget.take(1 + wanted.size() / DevicesByRequest.DEVICES_PASSED_OVER)) {
            for (DeviceId id : wanted) {
                if (reachedFrom.putIfAbsent(id, from) == null) {
                    if (!taken.containsKey(id)) {
                        move(id, needed, reachedFrom, taken);
                        return true;
                    }
                    users.add(id);
                }
            }
            if (users.isEmpty()) {
                return false;
            }
            from = Optional.of(users.remove());
            wanted = requireNonNull(taken.get(from.get()));
        }
        return false;
    }

    /** Gives each device on the way to a free one to the user of the one before it, and the first one to the new user. */
    private static void move(
            DeviceId free,
            List<DeviceId> needed,
            Map<DeviceId, Optional<DeviceId>> reachedFrom,
            Map<DeviceId, List<DeviceId>> taken) {
        DeviceId to = free;
        Optional<DeviceId> from = requireNonNull(reachedFrom.get(to));
        while (from.isPresent()) {
            taken.put(to, requireNonNull(taken.get(from.get())));
            to = from.get();
            from = requireNonNull(reachedFrom.get(to));
        }
        taken.put(to, needed);
    }
}
