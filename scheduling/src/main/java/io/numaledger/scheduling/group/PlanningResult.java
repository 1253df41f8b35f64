package io.numaledger.scheduling.group;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Whether a group fits.
 *
 * @param plan absent: it does not fit
 * @param placeable how many of its pods could run together; at least, if the search was cut off
 * @param cutOff the search has reached its limit
 * @param notes what else a user should know if it does not fit
 */
public record PlanningResult(Optional<GroupPlan> plan, int placeable, boolean cutOff, List<String> notes) {

    public PlanningResult {
        notes = List.copyOf(notes);
    }

    public PlanningResult(Optional<GroupPlan> plan, int placeable, boolean cutOff) {
        this(plan, placeable, cutOff, List.of());
    }

    /** Why a search ended before it was known how many fit. */
    static final String WORK_USED_UP =
            "planning it takes too much work: make fewer of its pods different, or the group smaller";

    static PlanningResult ended() {
        return new PlanningResult(Optional.empty(), 0, true, List.of(WORK_USED_UP));
    }

    /** This result with another note, if there is one. */
    public PlanningResult with(Optional<String> note) {
        return note.isEmpty()
                ? this
                : new PlanningResult(
                        plan,
                        placeable,
                        cutOff,
                        Stream.concat(notes.stream(), note.stream()).toList());
    }
}
