/** The scheduler bridge: predicts what each kubelet would decide about a pod, and serves kube-scheduler as its extender. */
@NullMarked
package io.numaledger.bridge;

import org.jspecify.annotations.NullMarked;
