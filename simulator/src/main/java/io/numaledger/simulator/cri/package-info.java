/** A container runtime for real kubelets that runs nothing: sandboxes and containers are records. */
package io.numaledger.simulator.cri;
