/** Groups of pods that come and go on real kubelets: with kube-scheduler alone, and planned by the bridge. */
@NullMarked
package io.numaledger.benchmarks.groups;

import org.jspecify.annotations.NullMarked;
