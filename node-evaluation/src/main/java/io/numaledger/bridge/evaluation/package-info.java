/**
 * Evaluates one pod on one node: fits, refused, or unknown. Pods of equal shape and nodes of one equivalence class
 * share results, which are cached here. Node snapshots and scheduling requests come in; evaluations go out.
 */
@NullMarked
package io.numaledger.bridge.evaluation;

import org.jspecify.annotations.NullMarked;
