/**
 * Pods to run on a cluster, and what nodes have room for as a whole. Tests and benchmarks describe pods here or draw random ones
 * from a seed, and ask whether the kubelet or kube-scheduler has room for them, zones aside.
 */
@NullMarked
package io.numaledger.simulator.workload;

import org.jspecify.annotations.NullMarked;
