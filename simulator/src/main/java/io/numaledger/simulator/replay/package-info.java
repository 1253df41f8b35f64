/** Replays recorded admissions of real kubelets through the kubelet model, and counts where it would have answered otherwise. */
@NullMarked
package io.numaledger.simulator.replay;

import org.jspecify.annotations.NullMarked;
