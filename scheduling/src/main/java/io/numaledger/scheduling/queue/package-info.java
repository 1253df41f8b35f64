/**
 * Pods that every node refused and that wait for free zones. Decides which nodes are reserved for an older pending pod
 * ({@link io.numaledger.scheduling.queue.OlderPods}), and when kube-scheduler should retry one. The results of filter calls
 * and the cluster state come in; reservations and requests for a retry go out.
 */
@NullMarked
package io.numaledger.scheduling.queue;

import org.jspecify.annotations.NullMarked;
