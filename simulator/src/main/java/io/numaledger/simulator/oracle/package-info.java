/**
 * Compares what our programs say with what real kubelets hold. The kubelets' state files are the truth; what agents have published
 * and the state of a bridge come in as they are, and each difference goes out as one sentence.
 */
@NullMarked
package io.numaledger.simulator.oracle;

import org.jspecify.annotations.NullMarked;
