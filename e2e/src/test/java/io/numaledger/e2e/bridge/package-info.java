/** Tests of kube-scheduler with and without the bridge, on real kubelets. */
package io.numaledger.e2e.bridge;
