package io.numaledger.scheduling.gated;

import io.numaledger.evaluation.facts.PodGroupName;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Limits of reservations for groups that do not fit yet: for one group at a time, and for a limited time. If the group does not fit by
 * then, no group of its namespace comes next for as long, and the group itself for twice as long. Not thread-safe.
 */
final class ReservationLimits {

    static final Duration LIMIT = Duration.ofMinutes(5);

    private final Map<String, Instant> namespacesUntil = new HashMap<>();
    private final Map<PodGroupName, Instant> groupsUntil = new HashMap<>();
    private Optional<PodGroupName> current = Optional.empty();
    private Instant end = Instant.MIN;

    /** Whether nodes may be reserved for a group now. */
    boolean isAllowed(PodGroupName group, Instant now) {
        if (current.isPresent()) {
            return current.get().equals(group) && end.isAfter(now);
        }
        namespacesUntil.values().removeIf(until -> !until.isAfter(now));
        groupsUntil.values().removeIf(until -> !until.isAfter(now));
        return !namespacesUntil.containsKey(group.namespace()) && !groupsUntil.containsKey(group);
    }

    /** Nodes are reserved for a group. Returns until when. */
    Instant begin(PodGroupName group, Instant now) {
        if (current.isEmpty()) {
            current = Optional.of(group);
            end = now.plus(LIMIT);
        }
        return end;
    }

    /** The group runs: another one may be next at once. */
    void succeeded(PodGroupName group) {
        current = current.filter(each -> !each.equals(group));
    }

    /** Nodes are reserved for the group no more, and it does not run. */
    void ended(PodGroupName group, Instant now) {
        if (current.equals(Optional.of(group))) {
            namespacesUntil.put(group.namespace(), now.plus(LIMIT));
            groupsUntil.put(group, now.plus(LIMIT.multipliedBy(2)));
            current = Optional.empty();
        }
    }
}
