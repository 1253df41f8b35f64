/**
 * Gated groups: groups whose pods have the scheduling gate of groups, so that the bridge plans them before any scheduler tries their pods.
 * Planning starts in {@link io.numaledger.scheduling.gated.GatedGroups#check}, about once a second; a plan is made by {@link
 * io.numaledger.scheduling.gated.GatedGroupPlanner} and carried out by removing the gates.
 */
@NullMarked
package io.numaledger.scheduling.gated;

import org.jspecify.annotations.NullMarked;
