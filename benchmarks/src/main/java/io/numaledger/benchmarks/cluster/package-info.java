/** Clusters of real kubelets, with kube-scheduler alone or with a bridge, and what watches of their objects show. */
@NullMarked
package io.numaledger.benchmarks.cluster;

import org.jspecify.annotations.NullMarked;
