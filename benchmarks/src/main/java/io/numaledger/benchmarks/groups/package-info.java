/**
 * Measures groups of pods on real kubelets: the same groups with kube-scheduler alone, and with the bridge. A mix of groups comes in; how
 * many ran whole, how long others ran in part, and what the kubelets refused, goes out.
 */
@NullMarked
package io.numaledger.benchmarks.groups;

import org.jspecify.annotations.NullMarked;
