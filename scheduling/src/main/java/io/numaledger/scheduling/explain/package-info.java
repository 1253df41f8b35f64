/**
 * Explains an evaluation to people: the placement, the missing resources with their holders, and the smallest change
 * that would help. Node snapshots and pods come in; explanations go out.
 */
@NullMarked
package io.numaledger.scheduling.explain;

import org.jspecify.annotations.NullMarked;
