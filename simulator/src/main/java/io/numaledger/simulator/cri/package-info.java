/** A container runtime for real kubelets that runs nothing: sandboxes and containers are records. */
@NullMarked
package io.numaledger.simulator.cri;

import org.jspecify.annotations.NullMarked;
