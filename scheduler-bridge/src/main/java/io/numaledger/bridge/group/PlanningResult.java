package io.numaledger.bridge.group;

import java.util.Optional;

/**
 * Whether a group fits.
 *
 * @param plan absent: it does not fit
 * @param placeable how many of its pods could run together; at least, if the search was cut off
 * @param cutOff the search has reached its limit
 */
public record PlanningResult(Optional<GroupPlan> plan, int placeable, boolean cutOff) {}
