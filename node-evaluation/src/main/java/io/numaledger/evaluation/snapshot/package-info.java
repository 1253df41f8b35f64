/**
 * What is known about one node at one instant: the kubelet model of its machine, the reconstructed allocations, and how
 * certain they are. A node's objects and reservations come in; a node snapshot goes out.
 */
@NullMarked
package io.numaledger.evaluation.snapshot;

import org.jspecify.annotations.NullMarked;
