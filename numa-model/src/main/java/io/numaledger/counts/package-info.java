/**
 * The kubelet's answer from counts alone: per zone what there is, what pods may use and what is free, as any exporter of
 * NodeResourceTopology tells it. The same rules as {@link io.numaledger.kubelet}, on what is known; what is not known is
 * assumed, and every assumption is named in the answer.
 *
 * <p>This is what runs over thousands of nodes for one pod: {@link io.numaledger.counts.PodAsk} takes the pod apart once,
 * {@link io.numaledger.counts.CountsEvaluator} then answers per node from primitive arrays without allocating, and
 * {@link io.numaledger.counts.Fleet} asks once for all nodes that are in the same state. Zones are positions 0 to n-1, in
 * the order of their NUMA node ids, so that the order of masks is that of the kubelet.
 */
package io.numaledger.counts;
