/**
 * Evaluates one pod on one node: fits, refused, or unknown. Equal pods and nodes of one equivalence class
 * share results, which are cached here. Node snapshots and pods come in; evaluations go out. By zones, {@link
 * io.numaledger.evaluation.fit.FullModel} decides, or {@link io.numaledger.evaluation.fit.FastPath} with the same result; by
 * node-level requests, {@link io.numaledger.evaluation.fit.NodeFit}; beside other pods, {@link
 * io.numaledger.evaluation.fit.TentativeNode}.
 */
@NullMarked
package io.numaledger.evaluation.fit;

import org.jspecify.annotations.NullMarked;
