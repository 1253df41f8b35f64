/**
 * What is free and cannot be used: how many more pods of some sizes would run by zones, and how many by node-level requests. Comes in: the
 * cluster's state, and reference pods. Goes out: counts by pool and reason, and which pods, moved, would make room.
 */
@NullMarked
package io.numaledger.scheduling.stranded;

import org.jspecify.annotations.NullMarked;
