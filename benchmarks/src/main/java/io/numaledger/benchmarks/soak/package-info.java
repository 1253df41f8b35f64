/**
 * Runs agents through minutes of churn and faults on real kubelets, and fails if what they publish stays wrong or if they grow. A
 * seed and a number of minutes come in; a line of figures for each minute and node goes out.
 */
@NullMarked
package io.numaledger.benchmarks.soak;

import org.jspecify.annotations.NullMarked;
