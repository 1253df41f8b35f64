/**
 * The pools of nodes by which metrics are summed. Comes in: a Node, and the label that the operator names. Goes out: the name of its pool.
 */
@NullMarked
package io.numaledger.scheduling.pool;

import org.jspecify.annotations.NullMarked;
