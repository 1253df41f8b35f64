/** Topology hints: what each resource manager of the kubelet would accept, and how the Topology Manager merges them into one. */
@NullMarked
package io.numaledger.kubelet.hint;

import org.jspecify.annotations.NullMarked;
