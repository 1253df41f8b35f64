/**
 * Plays a public trace of a GPU cluster on kubelet models, in simulated time or with a real kube-scheduler. Its lists of nodes and pods come
 * in; which pods ran and how soon, what kubelets refused, and the GPUs that no waiting pod could use, go out, for kube-scheduler alone and
 * for the bridge.
 */
@NullMarked
package io.numaledger.benchmarks.trace;

import org.jspecify.annotations.NullMarked;
