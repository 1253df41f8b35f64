/**
 * Evicts pods that missed what they demanded of their placement, so that they are placed again. Comes in: the cluster's pods, as they were
 * observed. Goes out: which pod is evicted, and when.
 */
@NullMarked
package io.numaledger.scheduling.healing;

import org.jspecify.annotations.NullMarked;
