/**
 * Evaluates one pod on one node: fits, refused, or unknown. Pods of equal shape and nodes of one equivalence class
 * share results, which are cached here. Node snapshots and scheduling requests come in; evaluations go out. By zones, {@link
 * io.numaledger.bridge.evaluation.FullModel} decides, or {@link io.numaledger.bridge.evaluation.FastPath} with the same result; by
 * node-level requests, {@link io.numaledger.bridge.evaluation.NodeFit}; beside other pods, {@link
 * io.numaledger.bridge.evaluation.TentativeNode}.
 */
@NullMarked
package io.numaledger.bridge.evaluation;

import org.jspecify.annotations.NullMarked;
