package io.numaledger.evaluation.facts;

import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * To which group a pod belongs.
 *
 * @param group absent: it belongs to none
 * @param minMember how many pods of the group have to run together, as this pod says; absent: it does not say, or no number from 1 on
 * @param subGroup of KAI-Scheduler's PodGroup; absent: it is in none
 * @param job the UID of its Job, as the Job controller's label says; absent: it has none, or belongs to no group
 * @param gates the scheduling gates that keep schedulers from trying it
 */
public record PodGroupMembership(
        Optional<PodGroupName> group,
        OptionalInt minMember,
        Optional<String> subGroup,
        Optional<String> job,
        Set<String> gates) {

    /** The gate of pods that are planned by the bridge. */
    public static final String GATE = "numaledger.io/group";

    public static final String LABEL = "numaledger.io/pod-group";
    public static final String MIN_MEMBER = "numaledger.io/min-member";

    public static final PodGroupMembership NONE =
            new PodGroupMembership(Optional.empty(), OptionalInt.empty(), Optional.empty(), Optional.empty(), Set.of());

    public PodGroupMembership {
        gates = Set.copyOf(gates);
    }

    /** Whether the bridge alone keeps schedulers from trying it. */
    public boolean awaitsPlan() {
        return gates.equals(Set.of(GATE));
    }
}
