/**
 * Measures claims of devices on real kubelets, with kube-scheduler alone and with the bridge. Pods with exclusive CPUs and a claimed device come
 * in; how many got both on one NUMA node goes out.
 */
@NullMarked
package io.numaledger.benchmarks.claims;

import org.jspecify.annotations.NullMarked;
