/**
 * Pods that this node's kubelet refused, by reason and owner. Decides which refusals are new, and which are repeats for
 * the same owner.
 */
@NullMarked
package io.numaledger.agent.refusal;

import org.jspecify.annotations.NullMarked;
