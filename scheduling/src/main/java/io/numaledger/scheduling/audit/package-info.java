/**
 * Compares each placement that was predicted for a bound pod with what its kubelet did. Predictions and observations come in; entries with
 * their outcome go out.
 */
@NullMarked
package io.numaledger.scheduling.audit;

import org.jspecify.annotations.NullMarked;
