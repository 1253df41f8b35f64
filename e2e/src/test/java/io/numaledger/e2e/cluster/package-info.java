/** Tests of the simulated clusters: real kubelets behave as on real hardware, and no process is left behind. */
package io.numaledger.e2e.cluster;
