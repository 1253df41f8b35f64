/**
 * Measures scheduling on real kubelets: the same sequence of pods with kube-scheduler alone, beside agents, and with the bridge.
 * A mix of nodes and pods comes in; how many pods ran, were refused or wait, and how soon they were bound, goes out.
 */
@NullMarked
package io.numaledger.benchmarks.churn;

import org.jspecify.annotations.NullMarked;
