/**
 * Nodes whose kubelets are models, in simulated time. Descriptions of nodes and pods come in; whether a kubelet admits a pod, and what a pod
 * takes from each zone, go out.
 */
@NullMarked
package io.numaledger.benchmarks.node;

import org.jspecify.annotations.NullMarked;
