/**
 * Which pods have to end so that one of higher priority can run on a node. Comes in: the node's snapshots, its pods, and the pods that
 * kube-scheduler would evict. Goes out: the smallest set of victims that frees the zones that the pod needs.
 */
@org.jspecify.annotations.NullMarked
package io.numaledger.scheduling.preemption;
