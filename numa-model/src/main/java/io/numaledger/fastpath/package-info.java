/**
 * The fast path: exact results of the kubelet model from per-zone counts, wherever counts are enough to decide.
 *
 * <p>{@link io.numaledger.fastpath.CompiledPod} is compiled once per pod. {@link io.numaledger.fastpath.FastPathModel} belongs to
 * one type of node and evaluates the pod against the {@link io.numaledger.fastpath.NodeCounts} of each node, without allocating
 * memory. It reports {@code UNDECIDED} where the full model in {@link io.numaledger.kubelet} has to decide. Zones are positions 0
 * to n-1 in the order of their NUMA node ids, so that masks are ordered as in the kubelet.
 */
@NullMarked
package io.numaledger.fastpath;

import org.jspecify.annotations.NullMarked;
