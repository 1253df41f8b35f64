/**
 * Compares rules for choosing pods and nodes by how many pods run. A churn mix goes in; the pods that ran, their waits and the
 * used CPUs, over many seeds, come out. Time is simulated, and kubelets are models, so that one run takes milliseconds.
 */
@NullMarked
package io.numaledger.benchmarks.capacity;

import org.jspecify.annotations.NullMarked;
