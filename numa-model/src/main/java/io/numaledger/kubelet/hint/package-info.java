/** Topology hints: what each resource manager of the kubelet would accept, and how the Topology Manager merges them into one. */
package io.numaledger.kubelet.hint;
