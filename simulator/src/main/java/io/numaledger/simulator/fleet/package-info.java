/**
 * Generates a large cluster: nodes of several kinds with pods, as their kubelets and agents publish them, by the kubelet model. A small API
 * server hands them to a bridge and to kube-scheduler. Benchmarks and the training of the bridge's class archive use it.
 */
@NullMarked
package io.numaledger.simulator.fleet;

import org.jspecify.annotations.NullMarked;
