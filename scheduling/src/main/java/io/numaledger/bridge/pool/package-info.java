/**
 * The pools of nodes by which metrics are summed. Comes in: a Node, and the label that the operator names. Goes out: the name of its pool.
 */
@NullMarked
package io.numaledger.bridge.pool;

import org.jspecify.annotations.NullMarked;
