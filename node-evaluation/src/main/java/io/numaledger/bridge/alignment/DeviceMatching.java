package io.numaledger.bridge.alignment;

import io.numaledger.bridge.claim.DeviceId;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

    boolean isEmpty() {
        return taken.isEmpty();
    }

    /**
     * The same with more needed devices; absent if there are not enough.
     *
     * @param needed for each, which devices it could be
     */
    Optional<DeviceMatching> with(List<List<DeviceId>> needed) {
        Map<DeviceId, List<DeviceId>> all = new HashMap<>(taken);
        return needed.stream().allMatch(each -> match(each, all, new HashSet<>()))
                ? Optional.of(new DeviceMatching(all))
                : Optional.empty();
    }

    /** A free device, or one whose user can have another one. */
    private static boolean match(List<DeviceId> needed, Map<DeviceId, List<DeviceId>> taken, Set<DeviceId> seen) {
        for (DeviceId id : needed) {
            if (taken.putIfAbsent(id, needed) == null) {
                return true;
            }
        }
        for (DeviceId id : needed) {
            if (seen.add(id) && match(taken.getOrDefault(id, List.of()), taken, seen)) {
                taken.put(id, needed);
                return true;
            }
        }
        return false;
    }
}
