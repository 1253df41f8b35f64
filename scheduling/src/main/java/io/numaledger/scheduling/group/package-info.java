/**
 * What gangs and gated groups share: the search for a node for each pod of a group ({@link io.numaledger.scheduling.group.GroupPlanner}), and
 * the reservations for planned pods. Planning starts in the packages {@code gang}, for groups that kube-scheduler plans, and {@code
 * gated}, for groups that the bridge plans.
 */
@NullMarked
package io.numaledger.scheduling.group;

import org.jspecify.annotations.NullMarked;
